# Effective bandwidth of each variant as a bar, and the device's own copy as a line. Points of a sweep
# are not among them, unless there is nothing else: they are sweep.gp's.
load home . "/read.gp"
bars_are = "Effective bandwidth"
unit_is = "GB/s"
digits_are = "%.0f"
load home . "/bars.gp"
