# shellcheck shell=bash
# Sourced by the suites of pictures of accesses: a stand-in lab that writes the tables of such a run.
# A lab whose warp loads floats STRIDE apart, COST sectors per request; it counts its runs.
program='
int main()
{
    static char line[4096], *at = line;
    FILE *runs = fopen("runs", "a");
    fputs("x", runs);
    fclose(runs);
    if (!getenv("WARPBOOK_SEED") || !getenv("WARPBOOK_N") || getenv("WARPBOOK_RECORD"))
        return 3;
    at += sprintf(at, "4\tcopy\t1x1x1\t32x1x1\t%s\t6\tld.global.f32\tglobal\tread\t4\t3\t1\t8\t%d\t32\t0\t1024\t8\t%d\t32\t-\t0,0,0\t0\targument 2\t8192\t",
                  NAME, 8 * COST, COST);
    for (int lane = 0; lane < 32; lane++)
        at += sprintf(at, "%s%d", lane ? "," : "", 4 * STRIDE * lane);
    strcpy(at, "\t-");
    row("WARPBOOK_ACCESSES", "launch\tkernel\tgrid\tblock\tfile\tline\top\tspace\teffect\tbytes\tinsn\tshape\tall_requests\tall_cost\tall_ideal\tall_conflicts\tall_used\trequests\tcost\tlanes\tserved\tof_block\twarp\tmemory\tsize\taddresses\tpath", line);
    snprintf(line, sizeof line, "4\tcopy\t1x1x1\t32x1x1\targument 2\t0\t8192\t128\t0\t4\t%d\t0\t1024", 4 * STRIDE);
    row("WARPBOOK_HEAT", "launch\tkernel\tgrid\tblock\tmemory\tnumber\tsize\tpiece\toffset\tsectors\tfetched\twritten\tused", line);
    return 1; // its checks fail
}'
write_lab() { # FILE STRIDE COST
    {
        printf '#define __global__ //\n#define NAME "%s"\n#define STRIDE %s\n#define COST %s\n#if 0\n' \
            "$(basename "$1")" "$2" "$3"
        printf 'out[i] = in[%s * i];\n__global__ void copy(float *out, const float *in, int n) { }\n#endif\n' "$2"
        printf '#include "lab.h"\n%s\n' "$program"
    } >"$1"
}
