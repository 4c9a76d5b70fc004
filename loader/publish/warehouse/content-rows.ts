import type { Source } from '../../../core/catalogue/content.ts'
import { showPlanIds } from '../../../core/catalogue/plan-id.ts'
import type { ContentName } from '../../../core/switching/ports.ts'
import { contentIdColumn, loadIdColumn, sourceIdColumn } from '../../../schema/columns/column.ts'
import type { ColumnsOf } from '../../../schema/columns/rates.ts'
import {
  contentTable,
  priceIdPrefix,
  priceIdPrefixOf,
  sourceBucketColumn,
  sourceBucketOf,
} from '../../../schema/columns/warehouse-tables.ts'
import { type ColumnValue, compareTexts } from '../../collect/column-values.ts'
import { toDays, toText } from '../../collect/stored-value.ts'
import { type RowGroup, writeRows } from '../../write/parquet/write-rows.ts'

type Readers<Row> = Readonly<Record<string, (row: Row) => ColumnValue>>

const ofName: Readonly<Record<ColumnsOf<'name'>, (name: ContentName) => ColumnValue>> = {
  payer: ({ payer }) => payer,
  plan: ({ plan }) => plan,
  plan_ids: ({ planIds }) => {
    const shown = showPlanIds(planIds).planIds
    return shown.length === 0 ? null : shown
  },
  plan_id_count: ({ planIds }) => showPlanIds(planIds).planIdCount,
}

const ofSource: Readonly<Record<ColumnsOf<'source', 'derived'>, (source: Source) => ColumnValue>> = {
  reporting_entity_name: ({ reportingEntityName }) => toText(reportingEntityName),
  last_updated_on: ({ lastUpdatedOn }) => toDays(lastUpdatedOn),
  source_file: ({ name }) => toText(name),
}

const ofIds: Readers<Source> = {
  [loadIdColumn]: ({ loadId }) => loadId,
  [sourceIdColumn]: ({ sourceId }) => sourceId,
  [sourceBucketColumn]: ({ sourceId }) => sourceBucketOf(sourceId),
  [priceIdPrefix.name]: ({ contentHash }) => priceIdPrefixOf(contentHash),
}

/** Writes the rows of a content to a file of `fee_schedule_sources`: each of its names with each of its sources. */
export async function writeContentRows(
  path: string,
  contentId: string,
  names: readonly ContentName[],
  sources: readonly Source[],
): Promise<void> {
  const sorted = names.toSorted(
    (one, other) => compareTexts(one.payer, other.payer) || compareTexts(one.plan, other.plan),
  )
  const file = {
    path,
    columns: contentTable.columns,
    rows: names.length * sources.length,
    integers: [],
    shared: [
      readValues(sorted, { ...ofName, [contentIdColumn]: () => contentId }),
      readValues(sources, { ...ofSource, ...ofIds }),
    ],
  }
  await writeRows(file, (group) => pairRows(group, names.length, sources.length))
}

const readValues = <Row>(rows: readonly Row[], readers: Readers<Row>) =>
  new Map(Object.entries(readers).map(([column, read]) => [column, rows.map(read)]))

/** Fills row groups with each name and each of its sources, or with each name once. */
export function* pairRows(
  { ids: [ofNames, ofSources], size }: RowGroup,
  names: number,
  sources = 1,
): Generator<number> {
  for (let from = 0; from < names * sources; from += size) {
    const pairs = Uint32Array.from({ length: Math.min(size, names * sources - from) }, (_, row) => from + row)
    ofNames?.set(pairs.map((pair) => Math.floor(pair / sources)))
    ofSources?.set(pairs.map((pair) => pair % sources))
    yield pairs.length
  }
}
