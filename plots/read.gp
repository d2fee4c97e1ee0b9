# Loaded by every script here. Set by plots/draw: record, kind (png, svg, dumb), out, width, height,
# title_is, x_is, y_is ("" where the caller leaves it to the script).
#
# Reads the rows `measure` and `copy` of a record as it is (docs/FORMATS.md). A row that
# comes again, same variant, x and source, replaces the one before it.

set encoding utf8
set datafile separator "\t"
set datafile missing NaN
load home . "/style.gp"

most = 400
rows = 0
array NAME[most]      # the variant
array X[most]         # its sweep value, as text
array MODELLED[most]  # 1: worked out by the emulator, 0: measured on a GPU
array GBS[most]
array MS[most]
array COPY[2]         # the device's own copy in GB/s: measured, modelled
COPY[1] = NaN
COPY[2] = NaN
measured_on = ""
modelled_for = ""

number(s) = s eq "-" ? NaN : real_of(s)
# The emulator's devices call themselves "NAME (warpbook)".
plain(device) = strlen(device) > 11 && device[strlen(device) - 10:] eq " (warpbook)" ? \
    device[:strlen(device) - 11] : device
device(source, name) = source eq "modelled" ? (modelled_for = plain(name)) : (measured_on = plain(name))

find(name, x, modelled) = (found = 0, sum [i = 1:rows] \
    (NAME[i] eq name && X[i] eq x && MODELLED[i] == modelled ? (found = i) : 0), found)
store(name, x, modelled, gbs, ms) = (at = find(name, x, modelled), \
    at == 0 && rows < most ? (rows = rows + 1, at = rows) : 0, \
    at == 0 ? 0 : (NAME[at] = name, X[at] = x, MODELLED[at] = modelled, GBS[at] = gbs, MS[at] = ms, 1))
take(kind, name, x, ms, gbs, source, on) = \
    kind eq "measure" ? (device(source, on), store(name, x, source eq "modelled", number(gbs), number(ms))) : \
    kind eq "copy" ? (device(source, on), COPY[source eq "modelled" ? 2 : 1] = number(gbs), 1) : 0

stats record using (take(strcol(1), strcol(2), strcol(3), strcol(6), strcol(7), strcol(9), strcol(10))) nooutput

if (rows == 0) {
    print sprintf("%s has no measurements: run the lab until its checks pass, then plot again", record)
    exit status 1
}

has_measured = 0
has_modelled = 0
do for [i = 1:rows] {
    has_modelled = has_modelled || MODELLED[i]
    has_measured = has_measured || !MODELLED[i]
}
measured_is = "measured: " . measured_on
modelled_is = "modelled: " . modelled_for
