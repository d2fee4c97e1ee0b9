# Grading on a cluster of this machine alone, as root: apt-get install slurmctld slurmd slurm-client munge.
.PHONY: test-slurm
test-slurm: all
	@tests/slurm/try-slurm
