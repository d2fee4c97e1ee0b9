# The tables of calls for emulator/TABLES.md: stubs.def by subject; TOTAL is what the library exports, CODE what
# the others return.
function subject(name)
{
    if (name ~ /EGL|GL[A-Z]|VDPAU|Graphics/) return "OpenGL, EGL, VDPAU and their graphics resources"
    if (name ~ /External/) return "external memory and semaphores"
    if (name ~ /Ipc|Shareable|MemPool(Import|Export)/) return "sharing between processes"
    if (name ~ /^cuda.*Cluster/) return "thread block clusters"
    if (name ~ /^cuda.*Conditional/) return "conditional nodes of graphs"
    if (name ~ /Logs|Notification|Coredump|Checkpoint/) return "logs, notifications, core dumps and checkpoints"
    if (name ~ /Multicast/) return "multicast"
    if (name ~ /Green|DevResource|DevSm/) return "green contexts"
    if (name ~ /^cuMem(Address|Create|Release|Map|Unmap|SetAccess|GetAccess|GetAllocation|GetHandle|Retain)/) return "addresses mapped by hand"
    if (name ~ /Sparse|MemoryRequirements/) return "sparse arrays"
    if (name ~ /TexRef|SurfRef/) return "texture and surface references"
    if (name ~ /^cu(Param|LaunchGrid|Launch$|FuncSetBlock|FuncSetSharedSize)/) return "launches as before CUDA 4"
    if (name ~ /^cuGraph/) return "graphs"
    if (name ~ /^cuStream/) return "streams"
    if (name ~ /^cuMem/) return "memory"
    return "the rest"
}
BEGIN {
    if (code == "") code = "cudaErrorNotSupported"
}
/^STUB/ {
    gsub(/STUB\(|[,)].*/, "")
    s = subject($0)
    if (!(s in list)) order[++subjects] = s
    list[s] = list[s] " `" $0 "`"
    refused++
}
END {
    print ""
    printf "%d of the %d symbols that NVIDIA's library exports do what they say. The others return\n", total - refused, total
    print code " and print one line with their name:"
    print ""
    print "| subject | calls |"
    print "| --- | --- |"
    for (i = 1; i <= subjects; i++) printf "| %s |%s |\n", order[i], list[order[i]]
    print ""
}
