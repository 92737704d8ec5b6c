const prefix = 'spBv1.0/'

const dataTypes = ['NBIRTH', 'NDATA', 'NDEATH', 'DBIRTH', 'DDATA', 'DDEATH'] as const
const commandTypes = ['NCMD', 'DCMD']

/** Who publishes, and what: of a node itself the device is empty. */
export interface SparkplugTopic {
  readonly type: (typeof dataTypes)[number]
  readonly group: string
  readonly node: string
  readonly device: string
}

/** What metrics are called where `--topic` does not say it. */
export const metricTemplateText = `${prefix}{group}/{node}/{device}/{metric...}`

/** Of a topic, or of what `--topic` begins with. */
export function isSparkplug(topic: string): boolean {
  return topic.startsWith(prefix)
}

/** Reads `spBv1.0/{group}/{type}/{node}[/{device}]`. Commands and states of hosts are "other": they hold no data. Null of other topics. */
export function sparkplugTopic(topic: string): SparkplugTopic | 'other' | null {
  const [, group = '', typeText = '', node = '', device = '', ...more] = topic.split('/')
  if (group === 'STATE') return 'other'
  if (group === '' || node === '' || more.length > 0) return null
  if (commandTypes.includes(typeText)) return 'other'
  const type = dataTypes.find((known) => known === typeText)
  if (type === undefined || type.startsWith('D') !== (device !== '')) return null
  return { type, group, node, device }
}

/** Where a node is told what to do. */
export function commandTopic({ group, node }: Pick<SparkplugTopic, 'group' | 'node'>): string {
  return `${prefix}${group}/NCMD/${node}`
}

/** What `--topic` is asked about for a metric. Nobody publishes there: it is the name of a series. */
export function metricTopic({ group, node, device }: SparkplugTopic, metric: string): string {
  return `${prefix}${group}/${node}/${device}/${metric}`
}
