# What paper/book and paper/site share: lessons as HTML, with their pictures, code and tables. Who requires this sets
# $root, $warpbook, $work and %option, and defines link_of(TARGET, FROM), what a link is on its page (undef: none), and
# image_source(SVG), what the element of a picture names.
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));
use Encode 'encode';
use File::Basename qw(dirname basename);
use IPC::Open2;

our ($root, $warpbook, $work, %option);
our @contents; # [level, id, words] of each heading of the first level

sub lacks { print STDERR "$0: $_[0]\n"; exit 3 }
sub need_programs {
    for (@_) {
        my ($program, $package) = @$_;
        system("command -v $program >/dev/null 2>&1") == 0 or lacks("there is no $program: install the package $package");
    }
}

sub text_of {
    my ($path) = @_;
    open my $f, '<', $path or die "$0: $path: $!\n";
    local $/;
    return scalar <$f>;
}

sub escaped {
    my ($text) = @_;
    my %entity = ('&' => '&amp;', '<' => '&lt;', '>' => '&gt;', '"' => '&quot;');
    return $text =~ s/([&<>"])/$entity{$1}/gr;
}

# --- pictures ---

# The point SHAPE, where and in the colour that SET says.
sub point {
    my ($shape, $set) = @_;
    my $colour = $set =~ s/ color='([^']*)'// ? $1 : 'black';
    return "<g$set>" . $shape =~ s/currentColor/$colour/gr . '</g>';
}

# gnuplot's SVG without references: points of a curve are drawn in its colour, which some programs that make
# PDF do not pass on to what is referred to.
sub drawing_of {
    my ($svg) = @_;
    my $text = text_of($svg);
    my %shape;
    while ($text =~ m{<(\w+)([^<>]*?) id='(gp\w+)'([^<>]*?)/>}g) {
        my ($tag, $set, $id) = ($1, "$2$4", $3);
        if ($tag eq 'use' && $set =~ s/xlink:href='#(\w+)'//) {
            my ($base, $own) = ($shape{$1} // '', join '|', $set =~ /([\w-]+)=/g);
            $base =~ s/ (?:$own)='[^']*'//g if $own;
            $shape{$id} = $base =~ s{/>}{ $set/>}r;
        } else {
            $shape{$id} = "<$tag$set/>";
        }
    }
    $text =~ s{<defs>.*?</defs>}{}s;
    $text =~ s{<use xlink:href='#(gp\w+)'([^<>]*)/>}{point($shape{$1} // '', $2)}ge;
    return $text;
}

# An image with its text alternative, what is seen in it and how to draw it oneself, in a line of its own: for Markdown
# it is a block of HTML.
sub figure {
    my ($svg, $alt, $seen, $command) = @_;
    $alt =~ s/\s+/ /g;
    return '<figure><img src="' . image_source(encode('UTF-8', drawing_of($svg))) . '" alt="' . escaped($alt) . "\" />"
        . "<figcaption>" . escaped($seen =~ s/\s+/ /gr) . " <small>To draw it yourself: <code>" . escaped($command) . "</code></small></figcaption></figure>";
}

sub plot_command {
    my ($name) = @_;
    return './warpbook plot ' . ($name =~ s/^(labs\/)?0*(\d+)-.*/($1 ? 'L' : '') . $2/er);
}

sub output_of {
    my ($name, @command) = @_;
    my $log = "$work/$name.log";
    my $pid = fork() // die "$0: $!\n";
    if (!$pid) {
        open STDOUT, '>', $log;
        open STDERR, '>&', \*STDOUT;
        $ENV{WARPBOOK_WORK} = $work;
        exec @command or exit 127;
    }
    waitpid $pid, 0;
    return ($?, text_of($log));
}

# The record that a chapter's pictures are drawn from: a GPU's, else that of a run on the emulator.
sub record_of {
    my ($name) = @_;
    (my $flat = $name) =~ tr{/}{-};
    my $record = "$root/tests/hardware/chapters/h200/records/$flat.tsv";
    return $record if -f $record;
    $record = "$work/runs/$flat-solution.tsv";
    return $record if -f $record;
    return if $option{'--no-run'};
    my ($failed) = output_of("$flat-run", $warpbook, '--root', $root, 'run', $name, '--solution', '--device', 'emulator');
    return -f $record ? $record : undef;
}

# What the pictures of a record show, in words: a line each, in the lesson's order.
my %said;
sub plot_words {
    my ($name, $record) = @_;
    return $said{$name} if $said{$name};
    my @from = $record =~ m{/runs/} ? ('--solution', '--device', 'emulator') : ('--from', dirname($record));
    my ($failed, $says) = output_of("words-" . ($name =~ tr{/}{-}r), $warpbook, '--root', $root, 'plot', $name, '--plain', @from);
    die "$0: $name: $says" if $failed;
    return $said{$name} = [split /\n/, $says];
}

my $plots = 0;
sub plot {
    my ($name, $title, $words) = @_;
    my @set;
    push @set, $1 =~ s/"//gr while $words =~ /\G\s*([^\s"]*(?:"[^"]*")?[^\s"]*)/g && $1 ne '';
    my $script = shift @set;
    my $record = record_of($name);
    return "<p class=\"predict\">`./warpbook plot $name` draws the picture of a run here.</p>" =~ s/`([^`]*)`/<code>$1<\/code>/r
        unless $record;
    my $svg = "$work/plots/plot-" . ++$plots . '.svg';
    my ($failed, $says) = output_of("plot-$plots", "$root/plots/draw", $script, $record, $svg, @set, "title=$title");
    die "$0: $name: $says" if $failed;
    my $alt = shift @{ plot_words($name, $record) };
    my ($seen) = $alt =~ /^(.*?\.)(?: |$)/;
    return figure($svg, $alt, $seen, plot_command($name));
}

# What the first of the pictures of accesses in TEXT says, without its rows.
sub access_words {
    my ($text) = @_;
    my ($card) = split /\n\n/, $text;
    return 'How lanes access memory. ' . join ' ', map { s/^\| //r } grep { !/^( |0-9, a-v|left column)/ } split /\n/, $card;
}

# Its kernel, warp and array, and the first sentence below its rows.
sub access_seen {
    my ($text) = @_;
    my ($kernel, $warp, $cost) = $text =~ /\A\S+ (\S+).*?^(block .*?)\n {2}.*?\n(\w[^.]*\.)/ms or die "$0: no picture of accesses: $text";
    return "$kernel, $warp. $cost";
}

my $accesses = 0;
sub access {
    my ($name, $mark) = @_;
    my ($only, $lines) = split / /, $mark, 2;
    my $figures = '';
    for (split / \| /, $lines) {
        my @words = ('--solution', '--device', 'emulator', '--from', "$root/tests/book/pictures", '--access', $_);
        push @words, '--only', $only if $only ne 'all';
        my ($failed, $says) = output_of('access-' . ++$accesses, $warpbook, '--root', $root, 'plot', $name, @words);
        my ($svg) = $says =~ m{^ +(\S+-access\.svg)$}m;
        die "$0: $name: $says" if $failed || !$svg;
        $svg = "$root/$svg" unless $svg =~ m{^/};
        $figures .= figure($svg, access_words($says), access_seen($says), plot_command($name) . " --solution --access '$_'") . "\n";
    }
    return $figures;
}

# --- text ---

# Markdown with the book's marks as Markdown and HTML alone.
sub plain {
    my ($text, $name, $title) = @_;
    $text =~ s/^<!-- ladder: (?:begin|end) -->\n//gm;
    $text =~ s/^ *<!-- figures\n.*?-->\n//gms;
    $text =~ s/^```access (.*?)\n.*?^```$/access($name, $1) . "\n"/gmse;
    $text =~ s{^<!-- predict kernel=(\S+) metric=(\S+).*?-->$}
        {"<p class=\"predict\">Your number first: a run counts <code>" . ($2 =~ tr/_/ /r) . '</code> of <code>' . escaped($1) . "</code>.</p>\n"}gme;
    $text =~ s/^<!-- plot (.*?) -->$/plot($name, $title, $1) . "\n"/gme;
    $text =~ s{\]\(([^)\s]+)\)}{my $to = link_of($1, $name // ''); defined $to ? "]($to)" : "](#none)"}ge;
    return $text;
}

# A list that does not begin at 1 has its numbers as text: not all programs that make PDF heed `start`.
sub numbers_as_text {
    my ($page) = @_;
    my @next; # number of the next entry of each list that is open; undef: the reader's program counts
    $page =~ s{<(/?)(ol|ul|li)\b([^>]*)>}{
        my ($end, $tag, $set) = ($1, $2, $3);
        my $out = "<$end$tag$set>";
        if ($tag ne 'li') {
            $end ? pop @next : push @next, $set =~ /start="(\d+)"/ ? $1 : undef;
            $out = "<ol class=\"numbered\"$set>" if !$end && defined $next[-1];
        } elsif (!$end && defined $next[-1]) {
            $out .= '<span class="number">' . $next[-1]++ . '.</span> ';
        }
        $out
    }ge;
    return $page;
}

sub html {
    my ($text) = @_;
    my $pid = open2(my $from, my $to, 'cmark-gfm', '--unsafe', '-e', 'table');
    binmode $_, ':encoding(UTF-8)' for $from, $to;
    if (!fork) { # else a long text fills both pipes
        close $from;
        print $to $text;
        close $to;
        exec 'true';
    }
    close $to;
    local $/;
    my $page = <$from>;
    waitpid $pid, 0;
    $? == 0 or die "$0: cmark-gfm failed\n";
    wait;
    return numbers_as_text($page =~ s{<a href="#none">(.*?)</a>}{$1}gsr =~ s{<li>(\n<p>)?([a-z]\) )}{'<li class="choice">' . ($1 // '') . $2}ger);
}

# Headings with places to go to, LOWER levels lower (1, if not said).
sub numbered {
    my ($page, $id, $lower) = @_;
    $lower //= 1;
    my %seen;
    $page =~ s{<h([1-5])>(.*?)</h\1>}{
        my ($level, $words) = ($1, $2);
        my $slug = lc($words) =~ s/<[^>]*>|&[a-z]+;//gr =~ s/[^a-z0-9]+/-/gr =~ s/^-|-$//gr;
        my $here = $level == 1 ? $id : "$id-$slug";
        $here .= '-' . $seen{$here} if $seen{$here}++;
        push @contents, [$level, $here, $words] if $level == 1;
        '<h' . ($level + $lower) . " id=\"$here\">$words</h" . ($level + $lower) . '>'
    }gse;
    return $page;
}

# Code as HTML, coloured by the words of the program's table; ends of lines stay outside the spans.
my %kind_of;
sub coloured {
    my ($code) = @_;
    unless (%kind_of) {
        my $table = text_of("$root/runner/book/syntax.def");
        while ($table =~ /^WORDS\((\w+),([^)]*)\)/gm) {
            my ($kind, $words) = (lc $1, $2);
            $kind_of{$_} = $kind for $words =~ /(\w+)/g;
        }
    }
    my $out = '';
    while ($code =~ m{\G(?:(?<comment>//[^\n]*|/\*.*?\*/)|(?<directive>^[ ]*\#(?:(?!//)[^\n])*)|
                      (?<literal>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\.?\d(?:[eEpP][+-]\d|'\w|[\w.])*)|
                      (?<word>[A-Za-z_]\w*)|(?<rest>.))}gsmx) {
        my ($kind) = grep { defined $+{$_} } qw(comment directive literal word rest);
        my $text = $+{$kind};
        $kind = $kind_of{$text} // '' if $kind eq 'word';
        $out .= $kind && $kind ne 'rest' ? join "\n", map { "<span class=\"$kind\">" . escaped($_) . '</span>' } split /\n/, $text, -1
                                         : escaped($text);
    }
    return $out;
}

sub listing {
    my ($heading, $path) = @_;
    return '' unless -f $path;
    return "<h3>$heading</h3>\n<pre><code>" . coloured(text_of($path)) . "</code></pre>\n";
}

# The rows of a table without its head, as fields.
sub rows_of {
    my ($path) = @_;
    return unless -f $path;
    my (undef, @lines) = split /\n/, text_of($path);
    return map { [split /\t/] } @lines;
}

# [number in the lesson, the book's reason] of each prediction that a run answers.
sub reasons_of {
    my ($dir, $text) = @_;
    my %because = map { ("$_->[0] $_->[1]" => $_->[2]) } rows_of("$root/$dir/reasons.tsv");
    my @found;
    while ($text =~ /^<!-- predict kernel=(\S+) metric=(\S+).*-->\n(\d+)\. /gm) {
        push @found, [$3, $because{"$1 $2"} // die "$0: $dir: no reason for $1 $2\n"];
    }
    return @found;
}

1;
