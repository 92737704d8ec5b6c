const prefix = 'spBv1.0/'

const dataTypes = ['NBIRTH', 'NDATA', 'NDEATH', 'DBIRTH', 'DDATA', 'DDEATH'] as const
const commandTypes = ['NCMD', 'DCMD']

/** The publisher and the message type. The device is empty for the node itself. */
export interface SparkplugTopic {
  readonly type: (typeof dataTypes)[number]
  readonly group: string
  readonly node: string
  readonly device: string
}

/** The template for metrics without `--topic`. */
export const metricTemplateText = `${prefix}{group}/{node}/{device}/{metric...}`

/** Accepts a topic, or the beginning of `--topic`. */
export function isSparkplug(topic: string): boolean {
  return topic.startsWith(prefix)
}

/** Parses `spBv1.0/{group}/{type}/{node}[/{device}]`. Commands and states of hosts are "other": they have no data. Null for other topics. */
export function sparkplugTopic(topic: string): SparkplugTopic | 'other' | null {
  const [, group = '', typeText = '', node = '', device = '', ...more] = topic.split('/')
  if (group === 'STATE') return 'other'
  if (group === '' || node === '' || more.length > 0) return null
  if (commandTypes.includes(typeText)) return 'other'
  const type = dataTypes.find((known) => known === typeText)
  if (type === undefined || type.startsWith('D') !== (device !== '')) return null
  return { type, group, node, device }
}

/** The topic for commands to a node. */
export function commandTopic({ group, node }: Pick<SparkplugTopic, 'group' | 'node'>): string {
  return `${prefix}${group}/NCMD/${node}`
}

/** The path of a metric, which is matched against `--topic`. It is the name of a series, not a topic that is published to. */
export function metricTopic({ group, node, device }: SparkplugTopic, metric: string): string {
  return `${prefix}${group}/${node}/${device}/${metric}`
}
