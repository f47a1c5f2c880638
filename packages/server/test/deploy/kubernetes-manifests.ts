/** The Kubernetes manifests as objects, and a search for fields that Kubernetes does not know. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { IIoK8sApiAppsV1Deployment as Deployment } from 'kubernetes-models/apps/v1/Deployment'
import type { IIoK8sApiAppsV1StatefulSet as StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet'
import type { IIoK8sApiNetworkingV1Ingress as Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress'
import type { IIoK8sApiNetworkingV1NetworkPolicy as NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import type { IIoK8sApiPolicyV1PodDisruptionBudget as PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import type { IIoK8sApiCoreV1ConfigMap as ConfigMap } from 'kubernetes-models/v1/ConfigMap'
import type { IIoK8sApiCoreV1Secret as Secret } from 'kubernetes-models/v1/Secret'
import type { IIoK8sApiCoreV1Service as Service } from 'kubernetes-models/v1/Service'
import { parseAllDocuments } from 'yaml'

const FOLDER = 'deploy/kubernetes'

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

interface Kinds {
  ConfigMap: ConfigMap
  Deployment: Deployment
  Ingress: Ingress
  NetworkPolicy: NetworkPolicy
  PodDisruptionBudget: PodDisruptionBudget
  Secret: Secret
  Service: Service
  StatefulSet: StatefulSet
}

export const manifestFiles = readdirSync(FOLDER).filter((file) => file !== 'kustomization.yaml')

export const manifests = manifestFiles.flatMap((file) => readDocuments(file) as Manifest[])

export const kustomization = readDocuments('kustomization.yaml')[0] as {
  namespace: string
  resources: string[]
  images: { name: string }[]
}

export function findManifest<Kind extends keyof Kinds>(
  kind: Kind,
  name = 'mailgrade',
): Kinds[Kind] {
  const found = findManifests(kind).find(({ metadata }) => metadata?.name === name)
  if (!found) throw new Error(`deploy/kubernetes has no ${kind} ${name}`)
  return found
}

export function findManifests<Kind extends keyof Kinds>(kind: Kind): Kinds[Kind][] {
  return manifests.flatMap((manifest) => (isOfKind(manifest, kind) ? manifest : []))
}

function isOfKind<Kind extends keyof Kinds>(manifest: object, kind: Kind): manifest is Kinds[Kind] {
  return 'kind' in manifest && manifest.kind === kind
}

function readDocuments(file: string): unknown[] {
  return parseAllDocuments(readFileSync(join(FOLDER, file), 'utf8')).map((document) => {
    if (document.errors.length > 0) throw new Error(`${file}: ${document.errors}`)
    return document.toJS()
  })
}

const TSC_OPTIONS = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext']

/**
 * Compiles the manifests as literals of Kubernetes's types, and returns the errors. Validators and
 * many clusters ignore unknown fields; the compiler does not.
 */
export function findUnknownFields(
  manifests: readonly Pick<Manifest, 'apiVersion' | 'kind'>[],
): string {
  const folder = mkdtempSync(join(tmpdir(), 'mailgrade-manifests-'))
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const file = join(folder, 'manifests.ts')
  writeFileSync(file, manifests.map(toTypedLiteral).join(''))
  const compiler = resolve('node_modules/typescript/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [compiler, ...TSC_OPTIONS, file], {
    cwd: folder,
    encoding: 'utf8',
  })
  rmSync(folder, { recursive: true })
  return stdout
}

function toTypedLiteral(manifest: Pick<Manifest, 'apiVersion' | 'kind'>, index: number): string {
  const { apiVersion, kind } = manifest
  const type = `import('kubernetes-models/${apiVersion}/${kind}').I${kind}`
  return `export const manifest${index}: ${type} = ${JSON.stringify(manifest)}\n`
}
