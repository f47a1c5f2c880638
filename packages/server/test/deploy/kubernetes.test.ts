/** The manifests: each for itself by Kubernetes's own schemas, and whether they fit together. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.js'
import { PATHS } from '../../src/operations/service-paths.js'
import { unsignedPayment } from '../support/payment-fixtures.js'
import { isKnownVariable } from './known-variables.js'
import { findManifest, kustomization, manifestFiles, manifests } from './kubernetes-manifests.js'
import { findUnknownFields } from './kubernetes-types.js'

describe('each for itself', () => {
  test.each(manifests)('$kind $metadata.name is valid', async (manifest) => {
    const { apiVersion, kind } = manifest
    const models = await import(/* @vite-ignore */ `kubernetes-models/${apiVersion}`)
    expect(() => new models[kind](manifest).validate()).not.toThrow()
  })

  test('has no field that Kubernetes does not know', () => {
    expect(findUnknownFields(manifests)).toBe('')
  })

  test('and a slip of the pen would be noticed', () => {
    const slip = { ...findManifest('Service'), spec: { port: [] } }
    expect(findUnknownFields([slip])).toMatch(/port.* does not exist in type 'IServiceSpec'/)
  })
})

const deployment = findManifest('Deployment')
const pod = deployment.spec?.template.spec
const [container] = pod?.containers ?? []
const labels = deployment.spec?.template.metadata?.labels
const valkeyPod = findManifest('StatefulSet', 'valkey').spec?.template

describe('together', () => {
  test('all but the example of a secret is applied, in one namespace', () => {
    const applied = manifestFiles.filter((file) => file !== 'secret.example.yaml')
    expect([...kustomization.resources].sort()).toEqual(applied.sort())
    const spaces = manifests
      .filter(({ kind }) => kind !== 'Namespace')
      .map(({ metadata }) => metadata.namespace)
    expect(new Set(spaces)).toEqual(new Set([kustomization.namespace]))
    expect(kustomization.images.map(({ name }) => name)).toEqual([container?.image])
  })

  test('selectors find the pods that they mean', () => {
    const ours = [
      deployment.spec?.selector.matchLabels,
      findManifest('Service').spec?.selector,
      findManifest('NetworkPolicy').spec?.podSelector?.matchLabels,
      ...(pod?.topologySpreadConstraints ?? []).map((one) => one.labelSelector?.matchLabels),
      ...manifests
        .filter(({ kind }) => kind === 'PodDisruptionBudget')
        .map((budget) => (budget as unknown as typeof deployment).spec?.selector.matchLabels),
    ]
    expect(ours).toEqual(Array(6).fill(labels))
    const valkeys = [
      findManifest('StatefulSet', 'valkey').spec?.selector.matchLabels,
      findManifest('Service', 'valkey').spec?.selector,
      findManifest('NetworkPolicy', 'valkey').spec?.podSelector?.matchLabels,
    ]
    expect(valkeys).toEqual(Array(3).fill(valkeyPod?.metadata?.labels))
  })

  test('ports that are meant by name are there, and are what the settings say', () => {
    const ports = Object.fromEntries(
      (container?.ports ?? []).map((port) => [port.name, String(port.containerPort)]),
    )
    const { data } = findManifest('ConfigMap')
    expect(ports).toEqual({ http: data?.PORT, metrics: data?.METRICS_PORT })
    const meant = [
      ...(findManifest('Service').spec?.ports ?? []).map(({ targetPort }) => targetPort),
      ...(findManifest('NetworkPolicy').spec?.ingress ?? []).flatMap((rule) =>
        (rule.ports ?? []).map(({ port }) => port),
      ),
      ...probes().map((probe) => probe?.httpGet?.port),
    ]
    expect(meant).toEqual(['http', 'http', 'metrics', 'http', 'http', 'http'])
    const backend = findManifest('Ingress').spec?.rules?.[0]?.http?.paths[0]?.backend.service
    expect(backend).toEqual({ name: 'mailgrade', port: { name: 'http' } })
    expect(findManifest('Secret').stringData?.REDIS_URL).toBe('redis://valkey:6379')
    expect(valkeyPod?.spec?.containers[0]?.ports).toEqual([{ name: 'valkey', containerPort: 6379 }])
  })

  test('probes ask what the service answers', () => {
    const { alive, ready } = PATHS
    expect(probes().map((probe) => probe?.httpGet?.path)).toEqual([alive, alive, ready])
  })

  test('the host of the ingress is that of BASE_URL', () => {
    const { hostname } = new URL(findManifest('ConfigMap').data?.BASE_URL ?? '')
    const { rules, tls } = findManifest('Ingress').spec ?? {}
    expect([rules?.[0]?.host, tls?.[0]?.hosts]).toEqual([hostname, [hostname]])
  })

  test('the ingress has what nginx has by itself', () => {
    const proxy = readFileSync('deploy/nginx/proxy.conf', 'utf8')
    const prefix = 'nginx.ingress.kubernetes.io/proxy-'
    const told = Object.entries(findManifest('Ingress').metadata?.annotations ?? {}).filter(
      ([name]) => name.startsWith(prefix),
    )
    const own = told.map(([name]) => {
      const word = `proxy_${name.slice(prefix.length).replaceAll('-', '_')}`
      return [name, new RegExp(`^${word} (.*?)s?;$`, 'm').exec(proxy)?.[1]]
    })
    expect(told).toHaveLength(5)
    expect(told).toEqual(own)
  })

  test('the service starts with these settings, and knows every one of them', () => {
    const { data = {} } = findManifest('ConfigMap')
    const { stringData = {} } = findManifest('Secret')
    const unknown = Object.keys({ ...data, ...stringData }).filter((name) => !isKnownVariable(name))
    expect(unknown).toEqual([])
    const PAY_TO_ADDRESS = unsignedPayment().payload.accepted.payTo
    const filled = { PAY_TO_ADDRESS, FACILITATOR_URL: 'https://facilitator.example' }
    const env = { NODE_ENV: 'production', ...data, ...stringData, ...filled }
    expect(loadConfig(env)).toMatchObject({ kind: 'config', config: { trustProxyHops: 1 } })
    const from = container?.envFrom?.map(({ configMapRef, secretRef }) => configMapRef ?? secretRef)
    expect(from).toEqual([{ name: 'mailgrade' }, { name: 'mailgrade' }])
  })

  test('nobody is root, and nobody can become it', () => {
    for (const spec of [pod, valkeyPod?.spec]) {
      expect(spec?.securityContext?.runAsNonRoot).toBe(true)
      expect(spec?.automountServiceAccountToken).toBe(false)
      expect(spec?.containers.map(({ securityContext }) => securityContext)).toEqual([
        {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      ])
    }
  })

  test('a settlement has time to end', () => {
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(55)
  })
})

function probes() {
  return [container?.startupProbe, container?.livenessProbe, container?.readinessProbe]
}
