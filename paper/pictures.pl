# Pictures to point at and to step, of what the emulator recorded, for the pages of paper/site and the slides of paper/book:
# the same data for both, which paper/web/pictures.js draws. Uses $root, $work, $warpbook and @made_by of who requires it.
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));
use Encode 'encode';
use JSON::PP;

our ($root, $work, $warpbook, @made_by);
our $json = JSON::PP->new->canonical;

sub write_file {
    my ($path, $text) = @_;
    open my $f, '>', "$path.part" or die "$0: $path.part: $!\n";
    print $f $text;
    close $f or die "$0: $path.part: $!\n";
    rename "$path.part", $path or die "$0: $path: $!\n";
}

# JSON of which neither HTML nor a script takes a character for its own.
sub data_element {
    my ($id, $data) = @_;
    my $text = ref $data ? $json->encode($data) : $data;
    $text =~ s/([<>&\x{2028}\x{2029}])/sprintf '\\u%04x', ord $1/ge;
    return "<script type=\"application/json\" id=\"$id\">$text</script>\n";
}

# Keep OUT as it is while it is newer than what it is made from.
sub is_fresh {
    my ($out, @from) = @_;
    my $age = -M $out // return 0;
    return !grep { -M $_ < $age } @from;
}

# One request of each line of the warp's walk: that which touches most.
sub requests_of {
    my ($run) = @_;
    my (%of_line, %text);
    $text{ $_->{path} } = $_->{lines} for @{ $run->{sources} };
    for my $m (@{ $run->{walk}{moments} }) {
        my $q = $m->{q} or next;
        my $cost = $q->{sectors} // $q->{passes} // next;
        my ($known) = map { $_->{sectors} // $_->{passes} } $of_line{"$q->{line} $q->{ptx}"} // ();
        $of_line{"$q->{line} $q->{ptx}"} = $q if !defined $known || $cost > $known;
    }
    my ($own) = grep { /\.cu$/ } map { $_->{path} } @{ $run->{sources} };
    my @all = map { { q => $_, line => $_->{line}, text => ($own && $text{$own}[$_->{line} - 1] // '') =~ s/^\s+//r } }
        sort { $a->{line} <=> $b->{line} || $a->{count} <=> $b->{count} } values %of_line;
    return splice @all, 0, 16;
}

# The requests of a copy at strides 1 to 32, each of a launch of its own.
sub make_strides {
    my $out = "$work/strides.json";
    return if is_fresh($out, "$root/paper/pictures/stride.cu", @made_by);
    my $program = "$work/stride";
    for (['nvcc', $ENV{NVCC} // 'nvcc', '-std=c++17', '-O3', '-lineinfo', '-arch=sm_90', '-cudart', 'shared', '-o', $program, "$root/paper/pictures/stride.cu"],
         ['record', $warpbook, '--root', $root, 'exec', '--record', "$program.wbr", $program]) {
        my ($failed, $says) = output_of("stride-$_->[0]", @$_[1 .. $#$_]);
        die "$0: stride.cu: $says\n" if $failed;
    }
    my @strides;
    for my $launch (0 .. 31) {
        my ($failed, $says) = output_of('stride-page', $warpbook, '--root', $root, 'page', '--json', '-o', "$program.json", '--launch', $launch, "$program.wbr");
        die "$0: stride.cu: $says\n" if $failed;
        my $run = decode_json(encode('UTF-8', text_of("$program.json")))->{runs}[0];
        push @strides, grep { $_->{q}{effect} eq 'read' && $_->{q}{space} eq 'global' } requests_of($run);
    }
    @strides == 32 or die "$0: stride.cu: " . @strides . " requests\n";
    write_file($out, $json->encode(\@strides));
}

# The tree of a reduction in shared memory: after each store of the warp its words, and which of them were read for which.
sub tree_of {
    my ($run) = @_;
    my ($row, @read, @steps);
    for my $m (@{ $run->{walk}{moments} }) {
        for (@{ $m->{s} // [] }) { $row = $_->[1] if $_->[0] == 0 }
        my $q = $m->{q};
        next unless $q && $q->{space} eq 'shared' && ref $row;
        if ($q->{effect} eq 'read') {
            push @steps, { line => $q->{line}, values => [@$row], arcs => [] } unless @steps;
            push @read, $q;
        } elsif (@read) {
            my @arcs;
            for my $lane (grep { $q->{places}[$_] } 0 .. 31) {
                push @arcs, map { [$_->{places}[$lane][0], $q->{places}[$lane][0]] } grep { $_->{places}[$lane] } @read;
            }
            push @steps, { line => $read[0]{line}, values => [@$row], arcs => \@arcs };
            @read = ();
        }
    }
    return { kernel => $run->{walk}{kernel}, file => $run->{sources}[0]{file}, steps => \@steps };
}

our %interactive = (
    '03-coalescing' => ['stride', 'Choose the stride', sub { $json->decode(text_of("$work/strides.json")) }],
    '10-shared-reduction' => ['tree', 'Step the tree', sub { tree_of($_[0]) }]);

sub picture_element {
    my ($kind, $title, $data, $first) = @_;
    return "<section class=\"picture\" data-picture=\"$kind\" aria-label=\"" . escaped($title) . "\">\n<h3>" . escaped($title) . "</h3>\n"
        . ($first // '') . data_element("picture-$kind", $data) . "</section>\n";
}

# The picture of the chapter ID's own, of its solution's RUN if it is of that; undef: it has none.
sub own_picture {
    my ($id, $run, $element) = @_;
    my $own = $interactive{$id} or return;
    return if !$run && $own->[0] ne 'stride';
    return ($element // \&picture_element)->($own->[0], $own->[1], $own->[2]->($run));
}

1;
