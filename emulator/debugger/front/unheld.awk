# The calls of the runtime API that change what a recording should hold and that the recorder in front
# of a runtime library does not keep: symbols that note their name and jump to the real function.
#   awk -v hooks=hooks.def -v what=code|names -f calls.awk -f unheld.awk calls.def
# Calls for the per-thread default stream are among them, each as a symbol of its own.
BEGIN {
    while ((getline < hooks) > 0)
        if (match($0, /^HOOK\([A-Za-z0-9_]+\)/)) kept[substr($0, 6, RLENGTH - 6)] = 1
    # What the name of such a call contains. Graphs: what runs them, and what tells of a capture.
    pattern = "GraphLaunch|BeginCapture|AttachMem|MallocFromPool|Create(Texture|Surface)Object|Import|Ipc" \
              "|Batch|LibraryLoad|GraphicsMap|EGLStream|DriverEntryPoint" \
              "|^cudaMemcpy|^cudaMemset|^cudaMalloc|^cudaLaunch|^__cudaLaunch"
}
function heading(subject) { }
function add(symbol) { if (!seen[symbol]++) name[count++] = symbol }
function row(kind, symbol, second)
{
    if (kind == "LINK") return
    if (second && (symbol in kept) && symbol !~ /Synchronize/) add(second)
    if ((symbol in kept) || symbol !~ pattern) return
    add(symbol)
    if (second) add(second)
}
END {
    for (k = 0; k < count; k++)
        print what == "names" ? "UNHELD(" name[k] ")" : "FRONT_PASS " name[k] ", " k
}
