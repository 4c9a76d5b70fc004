import * as v from 'valibot'
import { allColumns } from '../../schema/columns/relation-columns.ts'
import { keyArn, numberIn, optional, text } from './stage-values.ts'

const location = text(/^s3:\/\/[^/]+\/(?:.+\/)?$/, 's3://bucket/prefix/, with a slash at its end')

/** The warehouse that searches read, with every place they need permission for: Athena reads as its caller. */
export const warehouseDescription = v.strictObject({
  workGroup: v.pipe(
    v.string(),
    v.description('Athena workgroup in which searches run; it should have a limit of bytes.'),
  ),
  database: v.pipe(v.string(), v.description('Glue database with the relation `rates`.')),
  databases: optional(
    v.array(v.string()),
    'Further Glue databases with tables and views that `rates` and `fee_schedules` read.',
  ),
  queryResults: v.pipe(
    location,
    v.description('Place where Athena keeps manifests: the result location of the workgroup, s3://bucket/prefix/.'),
  ),
  dataLocations: v.pipe(v.array(location), v.description('Every place that `rates` reads, s3://bucket/prefix/.')),
  fileLists: optional(
    location,
    "Place where searches list their files, which the warehouse's tables `search_…` read: s3://bucket/prefix/. Default: none, searches find files by their folders.",
  ),
  keyArns: optional(v.array(keyArn), 'KMS keys that the data or the manifests are encrypted with.'),
  columns: optional(
    v.array(v.string()),
    'The columns that your own relation `rates` has; the others are NULL in results. Default: all.',
  ),
  feeSchedules: optional(
    v.picklist(['loads', 'relation']),
    'Source of the list of fee schedules: loads, or a relation `fee_schedules` beside your own `rates`. Default: loads.',
  ),
  refreshMinutes: optional(
    numberIn(1, 60),
    'Interval at which the relation `fee_schedules` is read, in minutes. Default: 15.',
  ),
})

export type WarehouseDescription = Readonly<v.InferOutput<typeof warehouseDescription>>

/** Returns the columns of an operator's own relation; undefined if the loader fills the relation. */
export function columnsOf({ columns, feeSchedules }: WarehouseDescription): readonly string[] | undefined {
  if (columns === undefined) return feeSchedules === 'relation' ? allColumns : undefined
  return columns
}
