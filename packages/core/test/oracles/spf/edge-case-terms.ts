/** Unusual terms: some valid, most invalid. */
import type { WeightedRandom } from './weighted-random.js'

const words = (...lines: string[]) => lines.flatMap((line) => line.split(' '))

const LENGTHS = words(
  '/24 /0 /32 /33 /024 /00 / /255.255.255.0 /-1 /1e1 //64 //0 //128 //129 //064 // ///64 /24//64',
  '/24/64 /33//64 /24//129 //64/24 /24// /24//64/ /24:x /%{d}',
)

const HOSTS = words(
  'museum museum. both.hosts.test. both.hosts.test.. both..hosts.test .test . .. .both.hosts.test',
  '- x-y x.-test x.test- x.te_st x.xn--zckzah x.1a x.a1 x.1-1 x.-- x.123 192.0.2.1 2001:db8::1',
  'x.test:8080 x:8080.test x/24.test x@y.test *.hosts.test x,y.test x.test, X.TEST "x.test" (x).test',
  `${'a'.repeat(63)}.test ${'a'.repeat(64)}.test x.${'a'.repeat(64)}`,
  'caf\xc3\xa9.test x\xa0.test \xe2\x80\x9cx.test\xe2\x80\x9d',
  'x.test\t x\ty.test x.test\0 x.test\r x\x7f.test x.test\n',
)

const MACROS = words(
  '%{d} %{D} %{d2} %{d2r} %{dr-} %{dR} %{d.,} %{o} %{d}%{o1} %%{d} %{d-/-+} %{d129}',
  '%{d0} %{d00} %{o0r} %{dr2} %{dx} %{d!} %{d:} %{d2.x} %{dd} %{d-2} %{d}}',
  '%{a} %{x} %{1} %{} %{ %{d %d} %(d) % %x %. %%% %%%x %{{d}} %{_d} %{\t} %{\xe9} %\xe9',
  '%{c} %{r} %{t} %{C} %{T2} %% %_ %- x%%',
)

/** `~` is replaced with a macro. */
const AROUND = words('~ x.~ ~.test x~y.test ~.~.test x.test~ ~. ~/24')

const ADDRESSES4 = words(
  '192.0.2.1 0.0.0.0 255.255.255.255 192.0.2 192.0.2. 192.0.2.256 1.2.3.4.5 192.0.2.01 192.0.2.0x1',
  '192.0.2.-1 192.0.2.1:25 2001:db8::1 ::192.0.2.1 both.hosts.test 3221225985 192.0.2.%{d} 1..2.3',
  '192.0.2.1\n 192.0.2.1\t',
)

const ADDRESSES6 = words(
  '2001:db8::1 :: ::1 1:: 2001:DB8::1 1:2:3:4:5:6:7:8 01:02:03:04:05:06:07:08 1::2:3:4:5:6:7',
  '::2:3:4:5:6:7:8 1:2:3:4:5:6:7:: 1::3:4:5:6:7:8 1:2:3:4::6:7:8 ::192.0.2.1 ::ffff:192.0.2.1',
  '1:2:3:4:5:6:192.0.2.1 1:2:3:4:5::192.0.2.1 1:2:3:4:5:6:7 1:2:3:4:5:6:7:8:9 1:2:3:4::5:6:7:8',
  ':::1 1:::2 1::2::3 : 192.0.2.1 192.0.2.1:: ::192.0.2.256 ::192.0.2.01 ::192.0.2 12345:: g::',
  '1:2:3:4:5:6:7:1.2.3.4 [::1] fe80::1%eth0 :1 1: 1:2:3:4:5:6:7: 2001:db8::1\n',
)

const WHOLE = words(
  'all:x all/8 all. all, --all +-all !all al alll all= -all=x foo foo:bar -foo = =x 1up=x +foo=x - +',
  ': /24 // 192.0.2.1 v=spf1 V=SPF1 v=spf2 a,mx a; " \t \xc2\xa0 % ip4 ip6 ipv4:192.0.2.1',
  'ip:192.0.2.1 includes:x.test redirect:both.hosts.test a: mx: ptr: include: include +include exists ~exists exists:',
  'redirect= exp= ptr/24 a:/24 mx:/24 ptr:/24 a=x include=x.test mx=x all=- x_y=1 x-y.z=1 x+y=1',
  'moo.cow/far=x exp=-all redirect=-all',
)

const MODIFIERS = words('foo Foo x-y.z_1 m accredit exp EXP redirect')
const VALUES = words('x a=b a:b/c ~ "quoted" x\ty \xc3\xa9 100% x\x01 100%%').concat('')
const TARGETED = words('a a mx mx ptr exists include')

/** One of them. */
export function edgeCaseTerm(random: WeightedRandom): string {
  const macro = () => random.pick(AROUND).replaceAll('~', random.pick(MACROS))
  const length = (probability: number) => (random.chance(probability) ? random.pick(LENGTHS) : '')
  const hostOrMacro = () => (random.chance(0.5) ? random.pick(HOSTS) : macro())
  return random.weighted<() => string>([
    [2, () => random.pick(WHOLE)],
    [3, () => `${random.pick(TARGETED)}:${hostOrMacro()}${length(0.1)}`],
    [1, () => `${random.pick(TARGETED)}:both.hosts.test${length(0.7)}`],
    [1, () => `${random.pick(['a', 'mx'])}${length(1)}`],
    [1, () => `ip4:${random.pick(ADDRESSES4)}${length(0.4)}`],
    [1, () => `ip6:${random.pick(ADDRESSES6)}${length(0.3)}`],
    [1, () => `${random.pick(MODIFIERS)}=${random.chance(0.5) ? random.pick(VALUES) : macro()}`],
    [0.5, () => `${random.pick(['redirect', 'exp'])}=${hostOrMacro()}`],
  ])()
}
