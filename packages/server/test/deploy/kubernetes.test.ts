/** The Kubernetes manifests: valid each, and consistent with one another and the service. */
import { readFileSync } from 'node:fs'
import { PATHS } from '@mailgrade/operations/service-paths'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.js'
import { unsignedPayment } from '../support/payment-fixtures.js'
import { isKnownVariable } from './known-variables.js'
import {
  findManifest,
  findManifests,
  findUnknownFields,
  kustomization,
  manifestFiles,
  manifests,
} from './kubernetes-manifests.js'

describe('each manifest', () => {
  test.each(manifests)('$kind $metadata.name is valid', async (manifest) => {
    const { apiVersion, kind } = manifest
    const models = await import(/* @vite-ignore */ `kubernetes-models/${apiVersion}`)
    expect(() => new models[kind](manifest).validate()).not.toThrow()
  })

  test('has no unknown field', () => {
    expect(findUnknownFields(manifests)).toBe('')
  })

  test('reports a misspelled field', () => {
    const misspelled = { ...findManifest('Service'), spec: { port: [] } }
    expect(findUnknownFields([misspelled])).toMatch(/port.* does not exist in type 'IServiceSpec'/)
  })
})

const deployment = findManifest('Deployment')
const pod = deployment.spec?.template.spec
const [container] = pod?.containers ?? []
const labels = deployment.spec?.template.metadata?.labels
const valkeyPod = findManifest('StatefulSet', 'valkey').spec?.template

describe('all manifests', () => {
  test('kustomization applies all but the example secret, in one namespace', () => {
    const applied = manifestFiles.filter((file) => file !== 'secret.example.yaml')
    expect([...kustomization.resources].sort()).toEqual(applied.sort())
    const namespaces = manifests
      .filter(({ kind }) => kind !== 'Namespace')
      .map(({ metadata }) => metadata.namespace)
    expect(new Set(namespaces)).toEqual(new Set([kustomization.namespace]))
    expect(kustomization.images.map(({ name }) => name)).toEqual([container?.image])
  })

  test('selectors match the labels of their pods', () => {
    const mailgradeLabels = [
      deployment.spec?.selector.matchLabels,
      findManifest('Service').spec?.selector,
      findManifest('NetworkPolicy').spec?.podSelector?.matchLabels,
      ...(pod?.topologySpreadConstraints ?? []).map((one) => one.labelSelector?.matchLabels),
      ...findManifests('PodDisruptionBudget').map(({ spec }) => spec?.selector?.matchLabels),
    ]
    expect(mailgradeLabels).toEqual(Array(6).fill(labels))
    const valkeyLabels = [
      findManifest('StatefulSet', 'valkey').spec?.selector.matchLabels,
      findManifest('Service', 'valkey').spec?.selector,
      findManifest('NetworkPolicy', 'valkey').spec?.podSelector?.matchLabels,
    ]
    expect(valkeyLabels).toEqual(Array(3).fill(valkeyPod?.metadata?.labels))
  })

  test('named ports exist and match the settings', () => {
    const ports = Object.fromEntries(
      (container?.ports ?? []).map((port) => [port.name, String(port.containerPort)]),
    )
    const { data } = findManifest('ConfigMap')
    expect(ports).toEqual({ http: data?.PORT, metrics: data?.METRICS_PORT })
    const referenced = [
      ...(findManifest('Service').spec?.ports ?? []).map(({ targetPort }) => targetPort),
      ...(findManifest('NetworkPolicy').spec?.ingress ?? []).flatMap((rule) =>
        (rule.ports ?? []).map(({ port }) => port),
      ),
      ...probes().map((probe) => probe?.httpGet?.port),
    ]
    expect(referenced).toEqual(['http', 'http', 'metrics', 'http', 'http', 'http'])
    const backend = findManifest('Ingress').spec?.rules?.[0]?.http?.paths[0]?.backend.service
    expect(backend).toEqual({ name: 'mailgrade', port: { name: 'http' } })
    expect(valkeyPod?.spec?.containers[0]?.ports).toEqual([{ name: 'valkey', containerPort: 6379 }])
  })

  test('probes use the health paths of the service', () => {
    const { alive, ready } = PATHS
    expect(probes().map((probe) => probe?.httpGet?.path)).toEqual([alive, alive, ready])
  })

  test('the ingress host is the host of BASE_URL', () => {
    const { hostname } = new URL(findManifest('ConfigMap').data?.BASE_URL ?? '')
    const { rules, tls } = findManifest('Ingress').spec ?? {}
    expect([rules?.[0]?.host, tls?.[0]?.hosts]).toEqual([hostname, [hostname]])
  })

  test('the ingress has the proxy settings of deploy/nginx', () => {
    const proxy = readFileSync('deploy/nginx/proxy.conf', 'utf8')
    const prefix = 'nginx.ingress.kubernetes.io/proxy-'
    const annotated = Object.entries(findManifest('Ingress').metadata?.annotations ?? {}).filter(
      ([name]) => name.startsWith(prefix),
    )
    const shipped = annotated.map(([name]) => {
      const directive = `proxy_${name.slice(prefix.length).replaceAll('-', '_')}`
      return [name, new RegExp(`^${directive} (.*?)s?;$`, 'm').exec(proxy)?.[1]]
    })
    expect(annotated).toHaveLength(5)
    expect(annotated).toEqual(shipped)
  })

  test('the service knows every setting and accepts the values', () => {
    const { data = {} } = findManifest('ConfigMap')
    const { stringData = {} } = findManifest('Secret')
    const unknown = Object.keys({ ...data, ...stringData }).filter((name) => !isKnownVariable(name))
    expect(unknown).toEqual([])
    const PAY_TO_ADDRESS = unsignedPayment().payload.accepted.payTo
    const required = { PAY_TO_ADDRESS, FACILITATOR_URL: 'https://facilitator.example' }
    const env = { NODE_ENV: 'production', ...data, ...stringData, ...required }
    expect(loadConfig(env)).toMatchObject({
      kind: 'config',
      config: { mode: 'live', trustProxyHops: 1 },
    })
    const from = container?.envFrom?.map(({ configMapRef, secretRef }) => configMapRef ?? secretRef)
    expect(from).toEqual([{ name: 'mailgrade' }, { name: 'mailgrade' }])
  })

  test('pods run as non-root without privilege escalation', () => {
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

  test('the grace period is longer than a settlement', () => {
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(55)
  })
})

function probes() {
  return [container?.startupProbe, container?.livenessProbe, container?.readinessProbe]
}
