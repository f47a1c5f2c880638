/** The Kubernetes manifests, as objects. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { IIoK8sApiAppsV1Deployment as Deployment } from 'kubernetes-models/apps/v1/Deployment'
import type { IIoK8sApiAppsV1StatefulSet as StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet'
import type { IIoK8sApiNetworkingV1Ingress as Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress'
import type { IIoK8sApiNetworkingV1NetworkPolicy as NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
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
  Secret: Secret
  Service: Service
  StatefulSet: StatefulSet
}

export const manifestFiles = readdirSync(FOLDER).filter((file) => file !== 'kustomization.yaml')

export const manifests = manifestFiles.flatMap((file) => read(file) as Manifest[])

export const kustomization = read('kustomization.yaml')[0] as {
  namespace: string
  resources: string[]
  images: { name: string }[]
}

export function findManifest<Kind extends keyof Kinds>(
  kind: Kind,
  name = 'mailgrade',
): Kinds[Kind] {
  const one = manifests.find((each) => each.kind === kind && each.metadata.name === name)
  if (!one) throw new Error(`there is no ${kind} ${name}`)
  return one as unknown as Kinds[Kind]
}

function read(file: string): unknown[] {
  return parseAllDocuments(readFileSync(join(FOLDER, file), 'utf8')).map((document) => {
    if (document.errors.length > 0) throw new Error(`${file}: ${document.errors}`)
    return document.toJS()
  })
}
