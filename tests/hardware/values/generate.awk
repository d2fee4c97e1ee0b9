# From forms.txt to one CUDA source: a kernel and a table row a form.
# usage: awk -v family=NAME -f generate.awk forms.txt

function is_type(word)
{
    return word ~ /^([bus](8|16|32|64)|f16|f32|f64|bf16|tf32|f16x2|bf16x2|[us]16x2|e4m3x2|e5m2x2|pred)$/
}

# expand(text): replaces the first {a b c} by each word in turn; the results go to forms[1..count].
# picks[n] holds the words that were picked for form n.
function expand(text, picked,    open, close_, words, n, k, head, tail)
{
    open = index(text, "{")
    if (!open) {
        forms[++count] = text
        picks[count] = picked
        return
    }
    close_ = index(text, "}")
    head = substr(text, 1, open - 1)
    tail = substr(text, close_ + 1)
    n = split(substr(text, open + 1, close_ - open - 1), words, " ")
    for (k = 1; k <= n; k++) {
        expand(head (words[k] == "_" ? "" : words[k]) tail, picked " " words[k])
    }
}

# The register type that carries a kind of operand in inline assembly.
function constraint(kind)
{
    if (kind ~ /^(p|n|c|s5)$/) {
        return "r"
    }
    if (kind ~ /64$|^(f4|b4|t2|v2|e8|g8|f1|x8)$/) {
        return "l"
    }
    return kind ~ /^([us]16|b16|f16|bf16|e4m3x2|e5m2x2)$/ ? "h" : "r"
}

function ctype(kind)
{
    kind = constraint(kind)
    return kind == "l" ? "unsigned long long" : kind == "h" ? "unsigned short" : "unsigned"
}

function wide(type)
{
    return type ~ /16$/ ? substr(type, 1, 1) "32" : substr(type, 1, 1) "64"
}

function bits(type)
{
    return substr(type, 2)
}

# BODY with what follows a ? kept in multiplications and dropped in other instructions.
function addends(body,    part, n, k, text)
{
    n = split(body, part, ";")
    for (k = 1; k < n; k++) {
        sub(part[k] ~ /^ *mad/ ? "\\?" : "\\?.*", "", part[k])
        text = text part[k] ";"
    }
    return text part[n]
}

function resolve(token,    r)
{
    r = token
    if (token == "T") {
        r = type[types]
    } else if (token == "W") {
        r = wide(type[types])
    } else if (token ~ /^[12]$/) {
        r = type[token]
    }
    return r
}

function emit(tolerance, operands, form, body, picked,
              word, n, k, part, source, sources, d, text, asm_text, args, seen, words, was)
{
    types = 0
    n = split(form, word, ".")
    for (k = 2; k <= n; k++) {
        if (is_type(word[k])) {
            type[++types] = word[k]
        }
    }
    split(operands, part, ":")
    d = resolve(part[1])
    sources = split(part[2], source, ",")
    if (source[sources] ~ /^=/) {
        sources--
    }
    for (k = 1; k <= sources; k++) {
        source[k] = resolve(source[k])
    }
    if (body == "") {
        body = form " $0"
        for (k = 1; k <= sources; k++) {
            body = body ", $" k
        }
        body = body ";"
    } else {
        # .1 and .2 in a body are the picked words, also as its first one, and @1 and @2 anywhere;
        # .T is the last type.
        n = split(picked, words, " ")
        for (k = 1; k <= n; k++) {
            sub("^\\." k "\\.", words[k] ".", body)
            gsub("\\." k "\\.", "." words[k] ".", body)
            gsub("\\." k " ", "." words[k] " ", body)
            gsub("@" k, words[k] == "_" ? "" : words[k], body)
        }
        gsub(/\.bT /, ".b" bits(type[types]) " ", body)
        gsub(/\.uT/, ".u" bits(type[types]), body)
        gsub(/\.T /, "." type[types] " ", body)
        body = addends(body)
    }
    text = ""
    # Predicates travel as 0 or 1 in 32-bit registers.
    for (k = 1; k <= sources; k++) {
        if (source[k] == "p") {
            text = text ".reg .pred s" k "; setp.ne.u32 s" k ", %" k ", 0; "
            gsub("\\$" k, "s" k, body)
        } else {
            gsub("\\$" k, "%" k, body)
        }
    }
    if (d == "p") {
        gsub(/\$0/, "sd", body)
        text = text ".reg .pred sd; " body " selp.u32 %0, 1, 0, sd;"
    } else {
        gsub(/\$0/, "%0", body)
        text = text body
    }
    args = ""
    for (k = 1; k <= sources; k++) {
        args = args (k > 1 ? ", " : "") "\"" constraint(source[k]) "\"((" ctype(source[k]) ")s[" \
            (k - 1) "][t])"
    }
    printf "__global__ void form_%d(inputs s, unsigned long long *out)\n{\n", rows
    printf "    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;\n    %s d = 0;\n", ctype(d)
    gsub(/%\{/, "{", text)
    # braces of PTX vectors stand for themselves in CUDA's inline assembly
    printf "    asm volatile(\"{ %s }\" : \"=%s\"(d) : %s);\n    out[t] = d;\n}\n\n", text, constraint(d), args
    table = table sprintf("    {\"%s\", form_%d, \"%s\", %d, {", form, rows, d, sources)
    for (k = 1; k <= 5; k++) {
        table = table (k > 1 ? ", " : "") "\"" (k <= sources ? source[k] : "") "\""
    }
    table = table sprintf("}, \"%s\"},\n", tolerance)
    rows++
}

BEGIN {
    print "#include \"values.h\"\n"
}

$1 == "def" {
    match($0, /^def +[^ ]+ /)
    define[$2] = substr($0, RLENGTH + 1)
    next
}

/^#/ || NF == 0 || $1 != family {
    next
}

{
    body = ""
    line = $0
    at = index(line, " = ")
    if (at) {
        body = substr(line, at + 3)
        line = substr(line, 1, at - 1)
        while (match(body, /<[a-z]+[0-9]*>/)) {
            body = substr(body, 1, RSTART - 1) define[substr(body, RSTART + 1, RLENGTH - 2)] \
                substr(body, RSTART + RLENGTH)
        }
    }
    match(line, /^[^ ]+ +[^ ]+ +[^ ]+ +/)
    count = 0
    expand(substr(line, RLENGTH + 1), "")
    for (form_at = 1; form_at <= count; form_at++) {
        emit($3, $2, forms[form_at], body, picks[form_at])
    }
}

END {
    printf "const form_row form_table[] = {\n%s};\n", table
    printf "const unsigned form_count = %d;\nconst char family_name[] = \"%s\";\n", rows, family
}
