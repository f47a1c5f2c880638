/** Alerts about instances and their resolvers: when each must fire, and when not. */
import {
  type AlertCase,
  buildInfoSeries,
  dnsQueriesSeries,
  FIRST_INSTANCE,
  resolverAvailableSeries,
  risingValues,
  SECOND_INSTANCE,
} from './alert-series.js'

export const INSTANCE_ALERT_CASES: readonly AlertCase[] = [
  {
    alert: 'MailgradeAllDown',
    firing: { [`up{${FIRST_INSTANCE}}`]: '1 1 0x30' },
    quiet: { [`up{${FIRST_INSTANCE}}`]: '1x30' },
    firesAtMinute: 3,
  },
  {
    alert: 'MailgradeInstanceDown',
    firing: { [`up{${FIRST_INSTANCE}}`]: '1x30', [`up{${SECOND_INSTANCE}}`]: '1 1 0x30' },
    quiet: { [`up{${FIRST_INSTANCE}}`]: '1x30', [`up{${SECOND_INSTANCE}}`]: '1 1 0 1x30' },
    firesAtMinute: 4,
  },
  {
    alert: 'MailgradeRestarting',
    firing: { [`process_start_time_seconds{${FIRST_INSTANCE}}`]: '1 2 3 4x60' },
    quiet: { [`process_start_time_seconds{${FIRST_INSTANCE}}`]: '1 2x60' },
    firesAtMinute: 3,
  },
  {
    alert: 'MailgradeInternalErrors',
    firing: { [`mailgrade_internal_errors_total{${FIRST_INSTANCE}}`]: '0 0 1x60' },
    quiet: { [`mailgrade_internal_errors_total{${FIRST_INSTANCE}}`]: '5x60' },
    firesAtMinute: 2,
  },
  {
    alert: 'MailgradeEventLoopLag',
    firing: { [`nodejs_eventloop_lag_p99_seconds{${FIRST_INSTANCE}}`]: '0.5x60' },
    quiet: { [`nodejs_eventloop_lag_p99_seconds{${FIRST_INSTANCE}}`]: '0.05x60' },
    firesAtMinute: 5,
  },
  {
    alert: 'MailgradeMemoryHigh',
    firing: { [`process_resident_memory_bytes{${FIRST_INSTANCE}}`]: '450e6x60' },
    quiet: { [`process_resident_memory_bytes{${FIRST_INSTANCE}}`]: '300e6x60' },
    firesAtMinute: 15,
  },
  {
    alert: 'MailgradeVersionsDiffer',
    firing: {
      [buildInfoSeries(FIRST_INSTANCE, '1')]: '1x120',
      [buildInfoSeries(SECOND_INSTANCE, '2')]: '1x120',
    },
    quiet: {
      [buildInfoSeries(FIRST_INSTANCE, '1')]: '1x120',
      [buildInfoSeries(SECOND_INSTANCE, '1')]: '1x120',
    },
    firesAtMinute: 30,
  },
  {
    alert: 'MailgradeNoResolver',
    firing: { [resolverAvailableSeries('a')]: '1 0x5', [resolverAvailableSeries('b')]: '1 0x5' },
    quiet: { [resolverAvailableSeries('a')]: '1 0x5', [resolverAvailableSeries('b')]: '1x5' },
    firesAtMinute: 2,
  },
  {
    alert: 'MailgradeResolverResting',
    firing: { [resolverAvailableSeries('a')]: '0x60', [resolverAvailableSeries('b')]: '1x60' },
    quiet: { [resolverAvailableSeries('a')]: '0 0 0 1x60', [resolverAvailableSeries('b')]: '1x60' },
    firesAtMinute: 10,
  },
  {
    alert: 'MailgradeDnsFailing',
    firing: {
      [dnsQueriesSeries('records')]: risingValues(900),
      [dnsQueriesSeries('http-status')]: risingValues(100),
    },
    quiet: {
      [dnsQueriesSeries('records')]: risingValues(700),
      [dnsQueriesSeries('servfail')]: risingValues(290),
      [dnsQueriesSeries('timeout')]: risingValues(10),
    },
    firesAtMinute: 11,
  },
]
