// The settings of i3X, for the table in settings.ts.
import { longestMs, mebibyte } from './measures.ts'
import { integer, list, type Setting, text } from './setting.ts'

export const i3xSettings = {
  'i3x.namespace': text({
    default: 'urn:tidemark',
    pattern: /^[A-Za-z][A-Za-z0-9+.-]*:[^\s]+$/,
    allowed: 'a URI such as https://plant.example/tidemark',
    description:
      'The namespace URI of the types of this service. It distinguishes them from the types of other services.',
  }),
  'i3x.hierarchy': list({
    pattern: /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/,
    allowed:
      'a metadata entity, the attribute with the identifier of the parent, and perhaps that with the name to show, such as equipment,parent,name',
    items: { min: 2, max: 3 },
    description:
      "The source of the tree of objects: a metadata entity, its attribute that holds the identifier of an item's parent, and the attribute with the name to show, which may be left out.",
  }),
  'i3x.objects': integer({
    default: 20_000,
    unit: 'objects',
    min: 1,
    max: 1_000_000,
    description: 'The most objects of an answer of i3X, elements of a request, and elements of a subscription.',
  }),
  'i3x.values': integer({
    default: 100_000,
    unit: 'values',
    min: 1,
    max: 10_000_000,
    description: 'The most values of a history. An answer that is cut says where to continue.',
  }),
  'i3x.subscriptions': integer({
    default: 1000,
    unit: 'subscriptions',
    min: 0,
    max: 100_000,
    description:
      'The most subscriptions at once. Each entity that one watches is one of the readers of limits.liveReaders.',
  }),
  'i3x.waitingBytes': integer({
    default: mebibyte / 4,
    unit: 'bytes',
    min: 1,
    max: 1024 * mebibyte,
    description:
      'The most bytes of updates that wait in memory for the client of one subscription. Later ones stay in the journal until it acknowledges some, for limits.liveKeepMs at least.',
  }),
  'i3x.idleMs': integer({
    default: 300_000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description: 'How long a subscription without requests and without an open stream is kept.',
  }),
} satisfies Record<string, Setting>
