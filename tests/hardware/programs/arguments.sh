# shellcheck shell=bash
# What nvcc is given for the program NAME of tests/programs besides tests/programs/flags: NAME.cu
# with the flags of its first line ("// flags: ..."), or all files of the directory NAME, linked.
# program_target NAME FLAG: FLAG, -arch=..., unless the first line says for what it is compiled.
# program_names: all that there are. program_sources NAME: its files and the headers, to
# compare times.
program_names() {
    local s
    for s in "$1"/tests/programs/*.cu "$1"/tests/programs/*/*.cu; do
        s=${s#"$1"/tests/programs/}
        s=${s%%/*}
        echo "${s%.cu}"
    done | sort -u
}

program_sources() { # root name
    if [ -d "$1/tests/programs/$2" ]; then
        ls "$1/tests/programs/$2"/*
    else
        ls "$1/tests/programs/$2.cu" "$1"/tests/programs/*.h
    fi
}

program_arguments() { # root name
    if [ -d "$1/tests/programs/$2" ]; then
        echo -rdc=true "$1/tests/programs/$2"/*.cu
    else
        echo "$(sed -n '1s,^// flags: ,,p' "$1/tests/programs/$2.cu")" "$1/tests/programs/$2.cu"
    fi
}

program_target() { # root name flag
    if ! sed -n '1s,^// flags: .*-gencode,&,p' "$1/tests/programs/$2.cu" 2>/dev/null | grep -q .; then
        echo "$3"
    fi
}
