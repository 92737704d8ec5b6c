import { ServiceError } from '../../../../src/client/service-error.ts'
import { plural } from '../../parts/formats.ts'
import { useQuery } from '../../shell/asking.ts'

/** The health in a word; if the service is not ready, its own reason. */
export function Health() {
  const ready = useQuery((client) => client.readiness(), ['ready'], { everyMs: 5000 })
  const about = useQuery((client) => client.service(), ['service'])
  const aside = ready.value?.quarantine?.entries ?? 0
  const cluster = ready.value?.cluster
  const failing = ready.value?.failing ?? []
  return (
    <>
      {ready.error instanceof ServiceError ? (
        <span class="pill bad">Not ready: {ready.error.detail}</span>
      ) : ready.error !== null ? (
        <span class="pill warn">No answer</span>
      ) : (
        ready.value !== null && <span class="pill good">Healthy</span>
      )}
      {failing.map((one) => {
        const [name, failures] = typeof one === 'string' ? [one, ''] : [one.work, ` (${one.failures})`]
        return (
          <span key={name} class="pill bad">
            {name} fails{failures}
          </span>
        )
      })}
      {ready.value?.disk?.filling === true && <span class="pill warn">The disk is filling up</span>}
      {aside > 0 && <span class="pill warn">{plural(aside, 'push', 'pushes')} in quarantine</span>}
      {cluster !== undefined &&
        [
          ['Kafka', cluster.kafka.reachable] as const,
          ['Druid', cluster.druid.reachable] as const,
          ['PostgreSQL', cluster.postgres.reachable] as const,
        ].map(([name, there]) => (
          <span key={name} class={there ? 'pill good' : 'pill bad'}>
            {name} {there ? 'reached' : 'away'}
          </span>
        ))}
      {about.value !== null && (
        <span class="soft small push-right">
          {cluster === undefined ? 'one process' : 'cluster'} · interface {about.value.version}
        </span>
      )}
    </>
  )
}
