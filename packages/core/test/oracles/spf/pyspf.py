"""pyspf as an evaluator of SPF records.

With "records": each line of input is a zone, a domain and senders; each line of output has the
result for each of the senders. A name that depends on the sender has a placeholder for a record.
With "messages": the same for messages, without placeholders. A case may name queries that fail and
corrections of pyspf. With "suite": prints the cases of the openspf test suite for RFC 7208, which
comes with pyspf, one to a line.

TXT data is text of one character per octet. Nothing is queried over a network.
"""
import gzip
import json
import sys

try:
    import spf
except ImportError as error:
    sys.exit('pyspf is missing (%s): apt-get install python3-spf' % error)

# Nothing is written into the source tree.
sys.dont_write_bytecode = True
import pyspf_corrections

SUITE = '/usr/share/doc/python3-spf/rfc7208-tests.yml.gz'
MAX_CNAMES = 20

# A name with this label stands for one that depends on the sender. No static check can know what
# is there, so it is answered with a record that says nothing, and is no void lookup.
DYNAMIC = '_dyn'

has_placeholders = False
zone = {}
failing = set()
corrections = set()
# Seconds since 1970, for the macro "t".
TIMESTAMP = '1794787200'


def is_dynamic(name):
    return has_placeholders and DYNAMIC in name.lower().split('.')


def lookup(name, qtype, strict=True, timeout=None):
    """Answers as pyspf's adapter for dnspython does: CNAMEs followed, and not shown."""
    if is_dynamic(name):
        return [((name, qtype), [b'v=spf1 ?all'])] if qtype == 'TXT' else []
    if '%s %s' % (qtype, name.lower()) in failing:
        # The two modules each have their own class of this name.
        raise (corrected if corrections else spf).TempError('this query fails')
    at = name
    for _ in range(MAX_CNAMES):
        records = zone.get(at.lower(), [])
        found = [data for rtype, data in records if rtype == qtype]
        if found:
            return [((name, qtype), shaped(qtype, data)) for data in found]
        at = next((data for rtype, data in records if rtype == 'CNAME'), None)
        if at is None:
            return []
    raise spf.TempError('CNAME loop')


def shaped(qtype, data):
    if qtype == 'TXT':
        return [text.encode('latin-1') for text in data]
    return tuple(data) if qtype == 'MX' else data


corrected = pyspf_corrections.load(spf.__file__, lambda name: name in corrections)
spf.DNSLookup = corrected.DNSLookup = lookup


class Query(spf.query):
    """Also notes whether a term matched the sender, which ends the reading of a record early."""

    matched = False

    def cidrmatch(self, addresses, length):
        found = super().cidrmatch(addresses, length)
        self.matched = self.matched or found
        return found

    def validated_ptrs(self):
        before = self.matched
        names = super().validated_ptrs()
        self.matched = before
        return names

    def validate_mechanism(self, mech):
        parsed = super().validate_mechanism(mech)
        if parsed[1] == 'exists' and lookup(parsed[2], 'A'):
            self.matched = True
        return parsed

    def check1(self, text, domain, recursion):
        outcome = super().check1(text, domain, recursion)
        if recursion > 0 and outcome[0] == 'pass':
            self.matched = True
        return outcome

    def dns(self, name, qtype, cnames=None, ignore_void=False):
        return super().dns(name, qtype, cnames, ignore_void or is_dynamic(name))


def evaluate_record(sender, domain):
    # strict=True is what RFC 7208 says; False goes on after an error, 2 warns of what is legal.
    query = Query(i=sender['ip'], s='someone@' + domain, h=sender['helo'], strict=True)
    try:
        result, _, detail = query.check()
    except Exception as error:
        result, detail = 'crash', repr(error)
    return {
        'result': result,
        'detail': detail,
        'matched': query.matched,
        'lookups': query.lookups,
        'voidLookups': query.void_lookups,
    }


def evaluate_records():
    global zone, has_placeholders
    has_placeholders = True
    for line in sys.stdin:
        case = json.loads(line)
        zone = case['zone']
        print(json.dumps([evaluate_record(sender, case['domain']) for sender in case['senders']]))


def evaluate_message(message):
    module = corrected if corrections else spf
    query = module.query(i=message['ip'], s=message['sender'], h=message['helo'], strict=True)
    query.t = TIMESTAMP
    query.set_default_explanation(None)
    try:
        result, _, detail = query.check()
    except Exception as error:
        result, detail = 'crash', repr(error)
    return {
        'result': result,
        'detail': detail or '',
        'explanation': detail if result == 'fail' else None,
        'lookups': query.lookups,
        'voidLookups': query.void_lookups,
    }


def evaluate_messages():
    global zone, failing, corrections
    for line in sys.stdin:
        case = json.loads(line)
        zone = case['zone']
        failing = set(case['failing'])
        results = []
        for names in case['correctionSets']:
            corrections = set(names)
            results += [evaluate_message(message) for message in case['messages']]
        print(json.dumps(results))


TYPES = ('A', 'AAAA', 'CNAME', 'MX', 'PTR', 'SPF', 'TXT')


def rows_of(entries):
    """The records of a name in the suite, and the types that time out there."""
    rows, timeouts = [], set()
    # Where a name has no TXT, its records of the retired type stand for both; "NONE" is none.
    has_txt = any('TXT' in entry for entry in entries if entry != 'TIMEOUT')
    for entry in entries:
        if entry == 'TIMEOUT':
            timeouts.update(set(TYPES) - {rtype for rtype, _ in rows})
            continue
        for rtype, data in entry.items():
            if data == 'TIMEOUT':
                timeouts.add(rtype)
            elif rtype in ('TXT', 'SPF') and data != 'NONE':
                # No record has no strings at all, so the nearest thing to that is an empty one.
                strings = [data] if isinstance(data, str) else data or ['']
                rows += [[each, strings] for each in ([rtype] if has_txt else ['SPF', 'TXT'])]
            elif data != 'NONE':
                rows.append([rtype, data])
    return rows, sorted(timeouts)


def print_suite():
    try:
        import yaml
    except ImportError as error:
        sys.exit('PyYAML is missing (%s): apt-get install python3-yaml' % error)
    try:
        source = gzip.open(SUITE)
    except OSError as error:
        sys.exit('the suite is missing (%s): apt-get install python3-spf, with its /usr/share/doc'
                 % error)
    for scenario in yaml.safe_load_all(source):
        read = {name.lower(): rows_of(entries) for name, entries in scenario['zonedata'].items()}
        for name, case in scenario['tests'].items():
            result = case['result']
            print(json.dumps({
                'name': name,
                'helo': case['helo'],
                'ip': case['host'],
                'mailFrom': case['mailfrom'],
                'results': [result] if isinstance(result, str) else result,
                # "DEFAULT" is the receiver's own text, so the domain gives none.
                'explanation': None if case.get('explanation') == 'DEFAULT' else case.get('explanation'),
                'checksExplanation': 'explanation' in case,
                'zone': {owner: rows for owner, (rows, _) in read.items()},
                'timeouts': {owner: types for owner, (_, types) in read.items()},
            }))


if __name__ == '__main__':
    modes = {'records': evaluate_records, 'messages': evaluate_messages, 'suite': print_suite}
    modes[sys.argv[1]]()
