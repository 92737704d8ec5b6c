import Type from 'typebox'

/** The body of a native query. */
export const NativeQueryRequest = Type.Object(
  {
    query_type: Type.String({
      description:
        'timeseries, topN, groupBy, scan, search, timeBoundary, segmentMetadata or dataSourceMetadata. ' +
        'If `query_data` has a `queryType` too, the two must agree.',
      examples: ['timeseries'],
    }),
    query_data: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          "The query as Apache Druid takes it. Its data sources name entities, whose time is `__time`. docs/druid-native.md lists what is supported. Anything else is refused, with the component's name and place.",
        examples: [
          {
            queryType: 'timeseries',
            dataSource: 'plant',
            intervals: ['2026-01-01/2026-01-02'],
            granularity: 'hour',
            aggregations: [{ type: 'doubleMean', name: 'mean', fieldName: 'V' }],
          },
        ],
      },
    ),
  },
  { additionalProperties: false, description: 'A native query of Apache Druid.' },
)
