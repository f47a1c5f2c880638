/** The systemd unit, and the Prometheus job for Kubernetes. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { isKnownVariable } from './known-variables.js'
import { findManifest } from './kubernetes-manifests.js'
import { PROMTOOL } from './promtool.js'

test('the Kubernetes job has the name the rules expect and finds the metrics port', () => {
  const text = readFileSync('deploy/prometheus/prometheus.yaml', 'utf8')
  const [, commented = ''] = text.split(/^(?= {2}# - job_name)/m)
  const [job] = parse(commented.replaceAll(/^ {2}# /gm, ''))
  const { kubernetes_sd_configs, ...rest } = job
  expect(job.job_name).toBe('mailgrade')
  const { namespace } = findManifest('Deployment').metadata ?? {}
  expect(kubernetes_sd_configs).toEqual([{ role: 'pod', namespaces: { names: [namespace] } }])
  const ports = findManifest('Deployment').spec?.template.spec?.containers[0]?.ports
  expect(ports?.map(({ name }) => name)).toContain(rest.relabel_configs[0].regex)

  const folder = mkdtempSync(join(tmpdir(), 'mailgrade-prometheus-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'prometheus.yaml')
  // Debian's Prometheus is built without Kubernetes.
  writeFileSync(file, JSON.stringify({ scrape_configs: [rest] }))
  expect(spawnSync(PROMTOOL, ['check', 'config', file]).status).toBe(0)
})

test('the systemd unit runs the command of npm start with known settings', () => {
  const text = readFileSync('deploy/systemd/mailgrade.service', 'utf8')
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const [, command] = /&& exec (node .*)$/.exec(scripts.start) ?? []
  const readSetting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? ''
  expect(readSetting('ExecStart')).toBe(`/usr/bin/${command}`)
  expect(readSetting('TimeoutStopSec')).toBe('60')
  const settings = readSetting('Environment').split(' ')
  expect(settings).toContain('HOST=127.0.0.1')
  const unknown = settings.filter((setting) => !isKnownVariable(setting.split('=')[0] ?? ''))
  expect(unknown).toEqual([])
})
