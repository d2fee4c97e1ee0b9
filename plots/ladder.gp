# The steps of assignment 8's ladder as bars, in percent of the roof, and the record's own kernel, `yours`, after
# them. The record has both under the names multiply and roof.
load home . "/read.gp"

own(modelled) = (at = find("multiply", "-", modelled), of = find("roof", "-", modelled), \
    at > 0 && of > 0 ? 100 * GBS[at] / GBS[of] : NaN)
array OWN[2]
OWN[1] = own(0)
OWN[2] = own(1)
if (!(OWN[1] > 0) && !(OWN[2] > 0)) {
    print sprintf("%s has no times of multiply and roof: run assignment 8 until its checks pass", record)
    exit status 1
}

# From here on the rows are the steps, and GBS is their percent.
rows = 0
COPY[1] = NaN
COPY[2] = NaN
add(name, modelled, percent) = percent > 0 ? store(name, "-", modelled, percent, NaN) : 0
name(step, roof) = roof eq "roof" ? step : step . " (" . roof . ")"
step(name, modelled, measured) = add(name, 0, number(measured)) + add(name, 1, number(modelled))
stats home . "/../labs/08-matrix-product/ladder.tsv" every ::1 \
    using (step(name(strcol(1), strcol(3)), strcol(4), strcol(5))) nooutput
own_rows = add("yours", 0, OWN[1]) + add("yours", 1, OWN[2])
has_measured = 0
has_modelled = 0
do for [i = 1:rows] {
    has_modelled = has_modelled || MODELLED[i]
    has_measured = has_measured || !MODELLED[i]
}
# The list's figures are of an H200.
measured_is = "measured: " . (measured_on eq "" ? "NVIDIA H200" : measured_on)
modelled_is = "modelled: " . (modelled_for eq "" ? "NVIDIA H200" : modelled_for)

bars_are = "The ladder"
unit_is = "percent of the roof"
digits_are = "%.1f"
load home . "/bars.gp"
