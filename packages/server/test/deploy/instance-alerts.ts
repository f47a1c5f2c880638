/** Alerts about instances and their resolvers: when each must fire, and when not. */
import { type AlertStory, build, ONE, questions, resolver, rising, TWO } from './alert-series.js'

export const INSTANCE_ALERTS: readonly AlertStory[] = [
  {
    alert: 'MailgradeAllDown',
    fires: { [`up{${ONE}}`]: '1 1 0x30' },
    quiet: { [`up{${ONE}}`]: '1x30' },
    from: 3,
  },
  {
    alert: 'MailgradeInstanceDown',
    fires: { [`up{${ONE}}`]: '1x30', [`up{${TWO}}`]: '1 1 0x30' },
    quiet: { [`up{${ONE}}`]: '1x30', [`up{${TWO}}`]: '1 1 0 1x30' },
    from: 4,
  },
  {
    alert: 'MailgradeRestarting',
    fires: { [`process_start_time_seconds{${ONE}}`]: '1 2 3 4x60' },
    quiet: { [`process_start_time_seconds{${ONE}}`]: '1 2x60' },
    from: 3,
  },
  {
    alert: 'MailgradeFaults',
    fires: { [`mailgrade_faults_total{${ONE}}`]: '0 0 1x60' },
    quiet: { [`mailgrade_faults_total{${ONE}}`]: '5x60' },
    from: 2,
  },
  {
    alert: 'MailgradeEventLoopLag',
    fires: { [`nodejs_eventloop_lag_p99_seconds{${ONE}}`]: '0.5x60' },
    quiet: { [`nodejs_eventloop_lag_p99_seconds{${ONE}}`]: '0.05x60' },
    from: 5,
  },
  {
    alert: 'MailgradeMemoryHigh',
    fires: { [`process_resident_memory_bytes{${ONE}}`]: '450e6x60' },
    quiet: { [`process_resident_memory_bytes{${ONE}}`]: '300e6x60' },
    from: 15,
  },
  {
    alert: 'MailgradeVersionsDiffer',
    fires: { [build(ONE, '1')]: '1x120', [build(TWO, '2')]: '1x120' },
    quiet: { [build(ONE, '1')]: '1x120', [build(TWO, '1')]: '1x120' },
    from: 30,
  },
  {
    alert: 'MailgradeNoResolver',
    fires: { [resolver('a')]: '1 0x5', [resolver('b')]: '1 0x5' },
    quiet: { [resolver('a')]: '1 0x5', [resolver('b')]: '1x5' },
    from: 2,
  },
  {
    alert: 'MailgradeResolverResting',
    fires: { [resolver('a')]: '0x60', [resolver('b')]: '1x60' },
    quiet: { [resolver('a')]: '0 0 0 1x60', [resolver('b')]: '1x60' },
    from: 10,
  },
  {
    alert: 'MailgradeDnsFailing',
    fires: { [questions('records')]: rising(900), [questions('http-status')]: rising(100) },
    quiet: {
      [questions('records')]: rising(700),
      [questions('servfail')]: rising(290),
      [questions('timeout')]: rising(10),
    },
    from: 11,
  },
]
