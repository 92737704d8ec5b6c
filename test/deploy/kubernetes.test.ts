// deploy/kubernetes without a cluster: everything that it names exists, and each program accepts its pod's settings.
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadSettings } from '../../src/config/load.ts'
import { bytesOf, druidBuffers, durableFolders, javaOption } from './known-images.ts'
import {
  type Container,
  imageOf,
  kubernetesFiles,
  kustomization,
  type Manifest,
  manifests,
  type PodSpec,
  type Probe,
} from './manifests.ts'

interface Pod {
  readonly name: string
  readonly owner: Manifest
  readonly labels: Readonly<Record<string, string>>
  readonly spec: PodSpec
  readonly container: Container
}

const ofKind = (...kinds: readonly string[]): readonly Manifest[] =>
  manifests.filter(({ kind }) => kinds.includes(kind))
const named = (kind: string, name: string): Manifest | undefined =>
  ofKind(kind).find(({ metadata }) => metadata.name === name)
const services = ofKind('Service')
const pods = ofKind('Deployment', 'StatefulSet').map((owner): Pod => {
  const { metadata, spec } = owner.spec!.template!
  return { name: owner.metadata.name, owner, labels: metadata.labels, spec, container: spec.containers[0]! }
})
const [tidemarkPods, druidPods] = [
  pods.filter(({ container }) => container.image === 'tidemark'),
  pods.filter(({ container }) => container.image.startsWith('apache/druid:')),
]

/** The environment of a pod's program; for secrets, the placeholder value. */
function environmentOf({ spec, container }: Pod): Record<string, string> {
  const maps = (container.envFrom ?? []).flatMap(({ configMapRef }) =>
    Object.entries(named('ConfigMap', configMapRef.name)?.data ?? {}),
  )
  const own = (container.env ?? []).map(({ name, value, valueFrom }): [string, string] => {
    const secret = valueFrom === undefined ? undefined : named('Secret', valueFrom.secretKeyRef.name)
    return [name, value ?? secret?.stringData?.[valueFrom!.secretKeyRef.key] ?? '']
  })
  return Object.fromEntries([...(spec.enableServiceLinks === false ? [] : serviceLinks()), ...maps, ...own])
}

/** The variables that Kubernetes sets in each pod for each service with its own address, unless this is disabled. */
function serviceLinks(): readonly (readonly [string, string])[] {
  return services
    .filter(({ spec }) => spec?.clusterIP !== 'None')
    .flatMap(({ metadata, spec }) => {
      const name = metadata.name.toUpperCase().replaceAll('-', '_')
      const address = `tcp://10.0.0.1:${spec!.ports![0]!.port}`
      return [
        [`${name}_PORT`, address],
        [`${name}_SERVICE_HOST`, '10.0.0.1'],
        [`${name}_SERVICE_PORT`, String(spec!.ports![0]!.port)],
      ] as const
    })
}

const mountsOf = ({ container }: Pod): readonly string[] =>
  (container.volumeMounts ?? []).map(({ mountPath }) => mountPath)
const isWithin = (folder: string, mounts: readonly string[]): boolean =>
  mounts.some((mount) => folder === mount || folder.startsWith(`${mount}/`))

test('kustomization.yaml lists every file', () => {
  expect([...kustomization.resources].sort()).toEqual([...kubernetesFiles].sort())
})

describe.each(pods)('the pods of $name', (pod) => {
  const { owner, labels, spec, container } = pod

  test('have service links disabled, because Tidemark may read them as settings', () => {
    expect(spec.enableServiceLinks).toBe(false)
  })

  test('match the selector of their workload', () => {
    expect(owner.spec!.selector).toEqual({ matchLabels: labels })
    if (owner.kind === 'StatefulSet') expect(named('Service', owner.spec!.serviceName!)).toBeDefined()
  })

  test('mount exactly the volumes that they declare', () => {
    const claims = (owner.spec!.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name)
    const volumes = [...claims, ...(spec.volumes ?? []).map(({ name }) => name)]
    expect(new Set((container.volumeMounts ?? []).map(({ name }) => name))).toEqual(new Set(volumes))
    for (const { configMap } of spec.volumes ?? []) {
      if (configMap !== undefined) expect(named('ConfigMap', configMap.name)).toBeDefined()
    }
  })

  test('keep their durable folders on volumes', () => {
    const lost = durableFolders(container.image, environmentOf(pod)).filter((one) => !isWithin(one, mountsOf(pod)))
    expect(lost).toEqual([])
  })

  test('read their environment from existing config maps and secrets', () => {
    const maps = (container.envFrom ?? []).map(({ configMapRef }) => named('ConfigMap', configMapRef.name))
    const secrets = (container.env ?? []).flatMap(({ valueFrom }) =>
      valueFrom === undefined
        ? []
        : [named('Secret', valueFrom.secretKeyRef.name)?.stringData?.[valueFrom.secretKeyRef.key]],
    )
    expect([...maps, ...secrets]).not.toContain(undefined)
  })

  test('are probed at ports that they open', () => {
    const ports = (container.ports ?? []).flatMap(({ name, containerPort }) => [name, containerPort])
    const probes: readonly (Probe | undefined)[] = [
      container.readinessProbe,
      container.livenessProbe,
      container.startupProbe,
    ]
    for (const probe of probes) {
      const port = probe?.httpGet?.port ?? probe?.tcpSocket?.port
      if (port !== undefined) expect(ports).toContain(port)
    }
  })

  test('connect to addresses and ports of existing services', () => {
    const text = [...Object.values(environmentOf(pod)), ...(container.command ?? [])].join(' ')
    const addresses = [...text.matchAll(/(?:^|[/@,])(?:[a-z]+-\d\.)?([a-z][a-z-]*):(\d{4})\b/g)]
    for (const [, host, port] of addresses) {
      const ports = named('Service', host!)?.spec?.ports?.map((each) => each.port)
      expect(ports, `a service for ${host}:${port}`).toContain(Number(port))
    }
  })
})

describe.each(pods)('the network policies of $name', ({ name, labels }) => {
  const policies = ofKind('NetworkPolicy').filter(({ spec }) =>
    (spec!.podSelector?.matchExpressions ?? []).every(({ key, values }) => values.includes(labels[key] ?? '')),
  )

  test('open only Tidemark to other namespaces, at its HTTP port', () => {
    expect(policies).not.toEqual([])
    const open = policies.flatMap(({ spec }) => spec!.ingress!.filter(({ from }) => from === undefined))
    expect(open).toEqual(name.startsWith('tidemark') ? [{ ports: [{ port: 'http' }] }] : [])
  })
})

test.each(services)('the service $metadata.name leads to open ports of pods', ({ spec }) => {
  const found = pods.filter(({ labels }) =>
    Object.entries(spec!.selector!).every(([key, value]) => labels[key] === value),
  )
  expect(found).not.toEqual([])
  for (const { container } of found) {
    const ports = (container.ports ?? []).flatMap(({ name, containerPort }) => [name, containerPort])
    for (const { port, targetPort } of spec!.ports!) expect(ports).toContain(targetPort ?? port)
  }
})

test.each(ofKind('HorizontalPodAutoscaler', 'PodDisruptionBudget'))(
  '$kind $metadata.name refers to existing pods',
  ({ spec }) => {
    const names = pods.map(({ name }) => name)
    if (spec?.scaleTargetRef !== undefined) expect(names).toContain(spec.scaleTargetRef.name)
    else expect(pods.map(({ labels }) => ({ matchLabels: labels }))).toContainEqual(spec?.selector)
  },
)

describe.each(tidemarkPods)('Tidemark in $name', (pod) => {
  const image = imageOf('Dockerfile')
  // The operator replaces the placeholder by a key; a service refuses the placeholder.
  const environment = { ...image.environment, ...environmentOf(pod), TIDEMARK_ADMIN_KEY: 'x'.repeat(24) }
  const flags = { role: pod.container.args?.[pod.container.args.indexOf('--role') + 1] }

  test('accepts its settings', () => {
    const { engine, role, host, port, data } = loadSettings({ flags, environment, file: null })
    expect({ engine, role, host, data }).toEqual({
      engine: 'cluster',
      role: flags.role,
      host: '0.0.0.0',
      data: '/data',
    })
    expect([image.port, port]).toEqual([port, pod.container.ports![0]!.containerPort])
  })

  test('would refuse the variables of its own service link', () => {
    const reported = { ...Object.fromEntries(serviceLinks()), ...environmentOf(pod) }
    expect(() => loadSettings({ flags, environment: { ...image.environment, ...reported }, file: null })).toThrow(
      /PORT/,
    )
  })

  test('may write to its folder, and is probed at /healthz or /readyz', () => {
    expect([image.volume, ...mountsOf(pod)]).toEqual(['/data', '/data'])
    expect([image.user, Reflect.get(pod.spec, 'securityContext')]).toEqual([
      'node',
      { runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 },
    ])
    const { readinessProbe, livenessProbe, startupProbe } = pod.container
    const paths = [readinessProbe, livenessProbe, startupProbe].map((probe) => probe?.httpGet?.path)
    expect(['/healthz', '/readyz']).toEqual(expect.arrayContaining(paths))
  })
})

describe.each(druidPods)('Druid in $name', (pod) => {
  const part = pod.container.args![0]!
  const environment = environmentOf(pod)
  const options = environment['JAVA_OPTS']!
  const limitBytes = bytesOf(pod.container.resources.limits.memory)

  test('has enough memory for its heap and its buffers', () => {
    const buffers = druidBuffers[part]
    if (buffers === undefined) return expect(javaOption(options, '-Xmx')).toBeLessThan(limitBytes)
    const own = (name: string): string | undefined => environment[`druid_processing_${name}`]
    const directBytes = javaOption(options, '-XX:MaxDirectMemorySize=')
    const count = Number(own('numThreads') ?? buffers.numThreads) + 1
    const merging = Number(own('numMergeBuffers') ?? buffers.numMergeBuffers)
    const sizeBytes = bytesOf(own('buffer_sizeBytes') ?? buffers.sizeBytes)
    expect((count + merging) * sizeBytes).toBeLessThanOrEqual(directBytes)
    expect(directBytes + javaOption(options, '-Xmx')).toBeLessThan(limitBytes)
  })

  test('writes to its volume, if it has one', () => {
    const [mount] = mountsOf(pod)
    if (mount !== undefined) expect(mount).toBe('/opt/druid/var')
    const [{ path }] = JSON.parse(environment['druid_segmentCache_locations']!) as [{ readonly path: string }]
    expect(dirname(path)).toBe('var/druid')
  })

  test('listens on the port of its part', () => {
    const ports = { coordinator: 8081, broker: 8082, router: 8888, historical: 8083, indexer: 8091 }
    expect(pod.container.ports![0]!.containerPort).toBe(Reflect.get(ports, part))
  })
})
