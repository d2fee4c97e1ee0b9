# Grading on a cluster of this machine alone, as root: apt-get install slurmctld slurmd slurm-client munge.
.PHONY: test-slurm
test-slurm: all
	@prove -v --exec '' tests/slurm/try-slurm
