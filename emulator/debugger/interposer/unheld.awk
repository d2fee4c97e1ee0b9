# The calls of the two APIs that change what a recording should hold and that the recorder IN_INTERPOSER_OF a
# runtime library does not keep: symbols that note their name and jump to the real function.
#   awk -v hooks=hooks.def -v what=code|names -f calls.awk -f unheld.awk calls.def
# Calls for the per-thread default stream are among them, each as a symbol of its own.
BEGIN {
    while ((getline < hooks) > 0)
        if (match($0, /^HOOK\([A-Za-z0-9_]+\)/)) kept[substr($0, 6, RLENGTH - 6)] = 1
    # What the name of such a call contains. Graphs: what runs them, and what tells of a capture.
    pattern = "GraphLaunch|BeginCapture|AttachMem|MallocFromPool|Create(Texture|Surface)Object|Import|Ipc" \
              "|Batch|LibraryLoad|GraphicsMap|EGLStream|DriverEntryPoint" \
              "|^cudaMemcpy|^cudaMemset|^cudaMalloc|^cudaLaunch|^__cudaLaunch"
    # Of the driver API, in programs that are linked with it, those that do the same. NVIDIA's runtime does
    # not come here with its own calls: it looks them up in the driver's library.
    split("cuLaunchKernel cuLaunchKernelEx cuLaunchCooperativeKernel cuGraphLaunch cuStreamBeginCapture_v2" \
          " cuMemcpyAsync cuMemcpyHtoDAsync_v2 cuMemcpyDtoHAsync_v2 cuMemcpyDtoDAsync_v2 cuMemsetD8Async" \
          " cuMemsetD32Async", on_stream, " ")
    split("cuMemAlloc_v2 cuMemAllocManaged cuMemAllocHost_v2 cuMemHostAlloc cuMemHostRegister_v2 cuMemMap" \
          " cuMemcpy cuMemcpyHtoD_v2 cuMemcpyDtoH_v2 cuMemcpyDtoD_v2 cuMemcpy2D_v2 cuMemcpy3D_v2" \
          " cuMemsetD8_v2 cuMemsetD32_v2 cuModuleLoad cuModuleLoadData cuModuleLoadDataEx" \
          " cuModuleLoadFatBinary cuLibraryLoadData cuLibraryLoadFromFile cuArrayCreate_v2" \
          " cuTexObjectCreate cuSurfObjectCreate cuGetProcAddress_v2", otherwise, " ")
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
    for (k = 1; k in on_stream; k++) {
        add(on_stream[k])
        add(on_stream[k] "_ptsz")
    }
    for (k = 1; k in otherwise; k++) add(otherwise[k])
    for (k = 0; k < count; k++)
        print what == "names" ? "UNSUPPORTED_CALL(" name[k] ")" : "UNSUPPORTED_SYMBOL " name[k] ", " k
}
