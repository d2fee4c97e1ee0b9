# The last lines of tests/run, as a formatter of prove: the lines around each failure, files that suites
# have left in the root, and "N passed, N failed", which prove itself does not count.
package Tally;
use strict;
use warnings;
use parent 'TAP::Formatter::File';

sub root { return map { $_ => 1 } grep { !/^\.?warpbook$/ } glob '* .*' }

sub prepare {
    my ($self, @suites) = @_;
    $self->{root} = {root()};
    $self->SUPER::prepare(@suites);
}

sub summary {
    my ($self, $aggregate, @more) = @_;
    $self->SUPER::summary($aggregate, @more);
    my $failed = 0;
    for my $suite ($aggregate->descriptions) {
        my ($parser) = $aggregate->parsers($suite);
        next unless $parser->has_problems;
        # Without a failed line, a suite that ended early or with an error is one failure.
        $failed += $parser->failed || 1;
        $self->_output("\n--- $suite\n" . $self->around_failures($suite));
    }
    my %now = root();
    for my $file (grep { !$self->{root}{$_} } sort keys %now) {
        $failed++;
        $self->_output("\nnot ok - a suite has left a file in the root: $file\n");
    }
    $self->_output($self->longest . sprintf "\n%d passed, %d failed\n", scalar $aggregate->passed, $failed);
}

# At most 60 lines of the suite's log: each failure with what stands around it, or the log's end.
sub around_failures {
    my ($self, $suite) = @_;
    open my $log, '<', "$ENV{SUITE_LOGS}/" . ($suite =~ tr,/,_,r) . '.log' or return '';
    my @lines = <$log>;
    my %shown;
    for my $i (grep { $lines[$_] =~ /^not ok\b/ } 0 .. $#lines) {
        $shown{$_} = 1 for $i - 2 .. $i + 12;
    }
    %shown = map { $_ => 1 } $#lines - 29 .. $#lines unless %shown;
    my @shown = grep { $shown{$_} } 0 .. $#lines;
    splice @shown, 60 if @shown > 60;
    return join '', @lines[@shown];
}

# The ten suites that took most of a core, and the sum of all.
sub longest {
    my $self = shift;
    open my $times, '<', "$ENV{SUITE_LOGS}/times.tsv" or return '';
    my @suites = sort { $b->[2] <=> $a->[2] } map { chomp; [split /\t/] } <$times>;
    my $sum = 0;
    $sum += $_->[2] for @suites;
    my $text = sprintf "\n%.0f s of a core in %d suites\n", $sum, scalar @suites;
    $text .= sprintf "%8.0f s, %4d s from begin to end: %s\n", @$_[2, 1, 0] for splice @suites, 0, 10;
    return $text;
}

1;
