#   make handout DIR=~/warpbook-students    a student's copy: no solutions, wrong versions, hidden rows
.PHONY: handout
handout:
	@runner/handout.sh "$(DIR)"
