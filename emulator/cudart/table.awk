# The table of calls for the README: stubs.def by subject; TOTAL is what the library exports.
function subject(name)
{
    if (name ~ /EGL|GL|VDPAU|Graphics/) return "OpenGL, EGL, VDPAU and their graphics resources"
    if (name ~ /External/) return "external memory and semaphores"
    if (name ~ /Ipc|Shareable|MemPoolImport/) return "sharing between processes"
    if (name ~ /Cluster/) return "thread block clusters"
    if (name ~ /Conditional/) return "conditional nodes of graphs"
    if (name ~ /Logs|Notification/) return "logs and notifications"
    return "the rest"
}
/^STUB/ {
    gsub(/STUB\(|\)/, "")
    s = subject($0)
    if (!(s in list)) order[++subjects] = s
    list[s] = list[s] " `" $0 "`"
    refused++
}
END {
    print ""
    printf "%d of the %d symbols that NVIDIA's library exports do what they say. The others return\n", total - refused, total
    print "cudaErrorNotSupported and print one line with their name:"
    print ""
    print "| subject | calls |"
    print "| --- | --- |"
    for (i = 1; i <= subjects; i++) printf "| %s |%s |\n", order[i], list[order[i]]
    print ""
}
