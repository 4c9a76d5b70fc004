import type { PartitionError, PartitionInput, StorageDescriptor } from '@aws-sdk/client-glue'
import {
  BatchCreatePartitionCommand,
  BatchDeletePartitionCommand,
  GetTableCommand,
  GlueClient,
} from '@aws-sdk/client-glue'
import type { Partitions } from '../../core/catalogue/ports.ts'
import { chunk } from '../../core/chunk.ts'
import { workAtOnce } from '../../core/work-at-once.ts'
import { partitionPath } from '../../schema/columns/warehouse-tables.ts'
import { PrintableError } from '../../schema/printable-error.ts'

/** Maximum number of partitions per call. Source: AWS Glue API, BatchCreatePartition and BatchDeletePartition. */
const perCall = { create: 100, delete: 25 } as const

/** Maximum number of concurrent calls. */
const callsAtOnce = 4

/** Milliseconds to wait before each retry of the partitions that Glue rejected with an internal error. */
const retryWaits = [100, 400, 1_600, 6_400]

/** Glue did not change the tables' partitions. */
export class PartitionsNotChanged extends PrintableError {
  override readonly name = 'PartitionsNotChanged'
  constructor(table: string, { PartitionValues = [], ErrorDetail }: PartitionError) {
    const { ErrorCode = 'unknown error', ErrorMessage = '' } = ErrorDetail ?? {}
    super(
      `Glue did not change the partition ${PartitionValues.join('/')} of ${table}: ${ErrorCode} ${ErrorMessage}`.trim(),
    )
  }
}

/** The tables and the view in Glue are of an earlier version than the files. */
export class TableOutdated extends PrintableError {
  override readonly name = 'TableOutdated'
  constructor(table: string, missing: readonly string[]) {
    super(`the table ${table} has no column ${missing.join(', ')}: deploy the stage with this version, then load again`)
  }
}

/**
 * Manages partitions in Glue; region and credentials come from the SDK's defaults. A partition has its table's columns
 * and formats, and its files are where Hive would put them.
 *
 * @throws PartitionsNotChanged
 * @throws TableOutdated from `add`
 */
export function createGluePartitions(
  database: string,
  // The last step of a load registers tens of thousands of partitions.
  client = new GlueClient({ maxAttempts: 10, retryMode: 'adaptive' }),
  wait: (milliseconds: number) => Promise<unknown> = (milliseconds) =>
    new Promise((resolve) => setTimeout(resolve, milliseconds)),
): Partitions {
  const changeAll = async (
    table: string,
    values: readonly (readonly string[])[],
    size: number,
    change: (page: readonly (readonly string[])[]) => Promise<readonly PartitionError[]>,
    isDone: string,
  ) => {
    await workAtOnce(chunk(values, size), callsAtOnce, async (page) => {
      let left = page
      for (let tries = 0; left.length > 0; tries++) {
        // A partition that already exists, or is already gone, is not an error.
        const errors = (await change(left)).filter(({ ErrorDetail }) => ErrorDetail?.ErrorCode !== isDone)
        const [first] = errors
        if (first === undefined) break
        const pause = retryWaits[tries]
        if (pause === undefined) throw new PartitionsNotChanged(table, first)
        await wait(pause)
        left = errors.map(({ PartitionValues = [] }) => PartitionValues)
      }
    })
  }

  return {
    async add(table, values) {
      const { Table } = await client.send(new GetTableCommand({ DatabaseName: database, Name: table.name }))
      const descriptor: StorageDescriptor = Table?.StorageDescriptor ?? {}
      if (!descriptor.Location?.endsWith(`/${table.name}/`))
        throw new TypeError(`the table ${table.name} is at ${descriptor.Location}, not in a folder of its name`)
      const known = new Set(descriptor.Columns?.map(({ Name }) => Name))
      const missing = table.columns.map(({ name }) => name).filter((name) => !known.has(name))
      // Its view would be as old, and rows would lack what it makes of these columns.
      if (missing.length > 0) throw new TableOutdated(table.name, missing)
      const root = descriptor.Location.slice(0, -`${table.name}/`.length)
      const describe = (of: readonly string[]): PartitionInput => ({
        Values: [...of],
        StorageDescriptor: { ...descriptor, Location: root + partitionPath(table, of) },
      })
      const create = async (page: readonly (readonly string[])[]) => {
        const { Errors = [] } = await client.send(
          new BatchCreatePartitionCommand({
            DatabaseName: database,
            TableName: table.name,
            PartitionInputList: page.map(describe),
          }),
        )
        return Errors
      }
      await changeAll(table.name, values, perCall.create, create, 'AlreadyExistsException')
    },

    async drop(table, values) {
      const remove = async (page: readonly (readonly string[])[]) => {
        const { Errors = [] } = await client.send(
          new BatchDeletePartitionCommand({
            DatabaseName: database,
            TableName: table.name,
            PartitionsToDelete: page.map((of) => ({ Values: [...of] })),
          }),
        )
        return Errors
      }
      await changeAll(table.name, values, perCall.delete, remove, 'EntityNotFoundException')
    },
  }
}
