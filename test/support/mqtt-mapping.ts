import { type MappingOptions, ReceiveTimes } from '../../src/mqtt/message-rows.ts'
import { metricTemplateText } from '../../src/mqtt/sparkplug/sparkplug-topic.ts'
import { topicTemplate } from '../../src/mqtt/topics.ts'

/** The mapping of messages to rows in tests, with one field for all values. */
export function mqttMapping(changes: Partial<MappingOptions> = {}): MappingOptions {
  return {
    template: null,
    metricTemplate: topicTemplate(metricTemplateText),
    valueFields: { number: 'V', text: 'V', truth: 'V' },
    quality: null,
    timeField: null,
    tagFields: [],
    receiveTimes: new ReceiveTimes(() => 0),
    ...changes,
  }
}
