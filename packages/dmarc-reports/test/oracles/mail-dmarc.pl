# Reads each report with Mail::DMARC and prints a line of JSON: its values, or the error.
use strict;
use warnings;
use JSON::PP;
use Mail::DMARC::Report;
use Mail::DMARC::Report::Receive;

# The values stay in memory, so no database is needed.
{ no warnings 'redefine'; *Mail::DMARC::Report::save_aggregate = sub { 1 }; }
local $SIG{__WARN__} = sub { };

# With --strip-namespace, the namespace of DMARC is removed first, as later versions do.
my $strip = @ARGV && $ARGV[0] eq '--strip-namespace' && shift @ARGV;

sub without_namespace {
    my ($xml) = @_;
    $xml =~ s/\sxmlns(?::(\w+))?="[^"]*dmarc[^"]*"// or return $xml;
    my $prefix = $1;
    $xml =~ s{<(/?)\Q$prefix\E:}{<$1}g if defined $prefix;
    return $xml;
}

sub read_report {
    my ($file) = @_;
    my $receiver = Mail::DMARC::Report::Receive->new;
    open my $handle, '<:raw', $file or die "no file $file";
    my $xml = do { local $/; <$handle> };
    $xml = without_namespace($xml) if $strip;
    $receiver->handle_body($xml);
    my $aggregate = $receiver->report->aggregate;
    my $metadata  = $aggregate->metadata;
    return {
        org      => $metadata->org_name,
        reportId => $metadata->report_id,
        domain   => $aggregate->policy_published->domain,
        begin    => $metadata->begin,
        end      => $metadata->end,
        records  => [
            map {
                {   ip          => $_->row->source_ip,
                    count       => $_->row->count,
                    disposition => $_->row->policy_evaluated->disposition,
                    dkim        => $_->row->policy_evaluated->dkim,
                    spf         => $_->row->policy_evaluated->spf,
                    headerFrom  => $_->identifiers->header_from,
                }
            } @{ $aggregate->record }
        ],
    };
}

my $json = JSON::PP->new->canonical->ascii;
for my $file (@ARGV) {
    my $read = eval { read_report($file) };
    print $json->encode( $read // { error => "$@" } ), "\n";
}
