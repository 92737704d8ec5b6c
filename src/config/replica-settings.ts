// The settings of the replica, for the table in settings.ts.
import { fixedMs, parseDuration } from '../model/duration.ts'
import { gibibyte, longestMs } from './measures.ts'
import { flag, integer, type Setting, text } from './setting.ts'

export const replicaSettings = {
  'replica.url': text({
    default: '',
    defaultText: 'none',
    description:
      'The address of a replica of the data folder, seconds behind: `file:///mnt/disk/folder` on a mounted disk, or `s3://bucket/prefix` (`engine=embedded`).',
    pattern: /^(|(file:\/\/\/|s3:\/\/).+)$/s,
    allowed: 'an address that begins with file:/// or s3://',
  }),
  'replica.endpoint': text({
    default: '',
    defaultText: "Amazon's",
    description: 'The address of an S3-compatible store, for `s3://`: `https://minio.example:9000`.',
    pattern: /^(|https?:\/\/[^\s/]+\/?)$/,
    allowed: 'an address such as https://minio.example:9000',
  }),
  'replica.region': text({
    default: '',
    defaultText: 'as AWS_REGION says; us-east-1 with an endpoint',
    description: 'The region of the bucket, for `s3://`.',
    pattern: /^[a-z0-9-]*$/,
    allowed: 'a region such as eu-central-1',
  }),
  'replica.intervalMs': integer({
    default: 1000,
    unit: 'milliseconds',
    min: 10,
    max: 3_600_000,
    description: 'The pause between two pieces of the journal that go to the replica.',
  }),
  'replica.wait': flag({
    default: false,
    description:
      'Whether a push gets its 200 only when the replica has it too. While the replica cannot be reached, pushes get a 503.',
  }),
  'replica.keep': text({
    default: 'P7D',
    description:
      'How far back `tidemark restore --at` goes. The replica drops older data that no later moment needs. At least as long as `replica.catalogMs` and `replica.intervalMs`.',
    pattern: /^P(?=\d|T\d)(\d{1,4}D)?(T(?=\d)(\d{1,5}H)?(\d{1,5}M)?(\d{1,5}S)?)?$/,
    allowed: 'a duration of days, hours, minutes and seconds such as P7D or PT12H',
  }),
  'replica.bytesPerSecond': integer({
    default: 0,
    defaultText: 'no limit',
    unit: 'bytes',
    min: 0,
    max: 1024 * gibibyte,
    description: 'The most bytes a second to the replica. 0 is no limit.',
  }),
  'replica.catalogMs': integer({
    default: 60_000,
    unit: 'milliseconds',
    min: 10,
    max: 86_400_000,
    description:
      "How often sealed files and the catalog go to the replica. A restore validates the journal since then. An operator's changes go at once.",
  }),
  'replica.heldBytes': integer({
    default: 4 * gibibyte,
    unit: 'bytes',
    min: 65_536,
    max: 1024 * gibibyte,
    description:
      'The largest journal while the replica cannot be reached. Beyond it the journal is trimmed, and the time in between cannot be restored.',
  }),
  'replica.requestMs': integer({
    default: 30_000,
    unit: 'milliseconds',
    min: 10,
    max: longestMs,
    description: 'The longest that one request to the replica may take before it is tried again.',
  }),
} satisfies Record<string, Setting>

interface CheckedReplica {
  readonly replica: {
    readonly url: string
    readonly keep: string
    readonly catalogMs: number
    readonly intervalMs: number
  }
}

/** A replica must keep at least the time between two of its moments, or there is nothing to restore. */
export function replicaFaults({ replica: { url, keep, catalogMs, intervalMs } }: CheckedReplica): string[] {
  const keepMs = fixedMs(parseDuration(keep)!)
  const leastMs = Math.max(catalogMs, intervalMs)
  if (url === '' || keepMs >= leastMs) return []
  return [
    `replica.keep (${keep}) is ${keepMs} ms, but must be at least ${leastMs} ms: as long as replica.catalogMs (${catalogMs}) and replica.intervalMs (${intervalMs}). Give a longer one such as P7D.`,
  ]
}
