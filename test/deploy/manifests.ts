// Parses the files of deploy/.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse, parseAllDocuments } from 'yaml'

const deployFolder = fileURLToPath(new URL('../../deploy', import.meta.url))

export interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: string | number }
  readonly tcpSocket?: { readonly port: string | number }
}

export interface Variable {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } }
}

export interface Container {
  readonly name: string
  readonly image: string
  readonly args?: readonly string[]
  readonly command?: readonly string[]
  readonly env?: readonly Variable[]
  readonly envFrom?: readonly { readonly configMapRef: { readonly name: string } }[]
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[]
  readonly readinessProbe?: Probe
  readonly livenessProbe?: Probe
  readonly startupProbe?: Probe
  readonly resources: { readonly limits: { readonly memory: string } }
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[]
}

export interface PodSpec {
  readonly enableServiceLinks?: boolean
  readonly containers: readonly Container[]
  readonly volumes?: readonly { readonly name: string; readonly configMap?: { readonly name: string } }[]
}

/** The members that the files use. */
export interface LabelSelector {
  readonly matchExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[]
}

export interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data?: Readonly<Record<string, string>>
  readonly stringData?: Readonly<Record<string, string>>
  readonly spec?: {
    readonly serviceName?: string
    readonly clusterIP?: string
    readonly selector?: Readonly<Record<string, unknown>>
    readonly ports?: readonly { readonly port: number; readonly targetPort?: string | number }[]
    readonly podSelector?: LabelSelector
    readonly ingress?: readonly { readonly from?: readonly object[]; readonly ports?: readonly object[] }[]
    readonly scaleTargetRef?: { readonly kind: string; readonly name: string }
    readonly template?: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> }
      readonly spec: PodSpec
    }
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[]
  }
}

export interface ComposeService {
  readonly image: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string | number>>
  readonly env_file?: string
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly depends_on?: Readonly<Record<string, unknown>>
}

interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly volumes: Readonly<Record<string, unknown>>
}

const kubernetesFolder = join(deployFolder, 'kubernetes')
const kustomizationFile = 'kustomization.yaml'
const textOf = (...path: readonly string[]): string => readFileSync(join(deployFolder, ...path), 'utf8')

export const kubernetesFiles = readdirSync(kubernetesFolder).filter((name) => name !== kustomizationFile)

export const kustomization = parse(textOf('kubernetes', kustomizationFile)) as { readonly resources: readonly string[] }

export const manifests: readonly Manifest[] = kubernetesFiles.flatMap((file) =>
  parseAllDocuments(textOf('kubernetes', file)).map((document) => document.toJS() as Manifest),
)

export const compose = parse(textOf('compose.yaml'), { merge: true }) as Compose

/** The variables in a file, parsed as `env_file` does. */
export function environmentFile(name: string): Readonly<Record<string, string>> {
  const lines = textOf(name)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
}

/** The environment, port, user and volume in a Dockerfile. */
export function imageOf(dockerfile: string) {
  const text = textOf(dockerfile)
  const environment = Object.fromEntries(
    [...(/^ENV (.+)$/m.exec(text)?.[1] ?? '').matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]),
  )
  const word = (instruction: string): string => new RegExp(`^${instruction} (\\S+)$`, 'm').exec(text)?.[1] ?? ''
  return { environment, port: Number(word('EXPOSE')), user: word('USER'), volume: word('VOLUME') }
}
