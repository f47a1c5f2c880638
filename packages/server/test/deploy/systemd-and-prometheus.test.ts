/** What is for machines without Docker and for clusters with a Prometheus of their own. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { isKnownVariable } from './known-variables.js'
import { findManifest } from './kubernetes-manifests.js'
import { PROMTOOL } from './promtool.js'

test('the job for Kubernetes has the name that the rules expect, and finds the port by its name', () => {
  const text = readFileSync('deploy/prometheus/prometheus.yaml', 'utf8')
  const [, hidden = ''] = text.split(/^(?= {2}# - job_name)/m)
  const [job] = parse(hidden.replaceAll(/^ {2}# /gm, ''))
  const { kubernetes_sd_configs, ...rest } = job
  expect(job.job_name).toBe('mailgrade')
  const { namespace } = findManifest('Deployment').metadata ?? {}
  expect(kubernetes_sd_configs).toEqual([{ role: 'pod', namespaces: { names: [namespace] } }])
  const ports = findManifest('Deployment').spec?.template.spec?.containers[0]?.ports
  expect(ports?.map(({ name }) => name)).toContain(rest.relabel_configs[0].regex)

  const folder = mkdtempSync(join(tmpdir(), 'mailgrade-prometheus-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'prometheus.yaml')
  // Debian's Prometheus knows nothing of Kubernetes.
  writeFileSync(file, JSON.stringify({ scrape_configs: [rest] }))
  expect(spawnSync(PROMTOOL, ['check', 'config', file]).status).toBe(0)
})

test('the unit for systemd runs what npm start does, with settings that are known and time to end', () => {
  const text = readFileSync('deploy/systemd/mailgrade.service', 'utf8')
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const [command] = /node .*$/.exec(scripts.start) ?? []
  const settingOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? ''
  expect(settingOf('ExecStart')).toBe(`/usr/bin/${command}`)
  expect(settingOf('TimeoutStopSec')).toBe('60')
  const settings = settingOf('Environment').split(' ')
  expect(settings).toContain('HOST=127.0.0.1')
  const unknown = settings.filter((setting) => !isKnownVariable(setting.split('=')[0] ?? ''))
  expect(unknown).toEqual([])
})
