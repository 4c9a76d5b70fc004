import { join } from 'node:path'
import { CreateBucketCommand } from '@aws-sdk/client-s3'
import { createS3WarehouseFiles } from '../../../adapters/s3/s3-warehouse-files.ts'
import type { FeeSchedule } from '../../../core/catalogue/fee-schedule.ts'
import type { LoadRequest } from '../../../loader/publish/load-request.ts'
import { openWarehouse } from '../../../loader/publish/warehouse/warehouse-folder.ts'
import { createTestWarehouse, type TestWarehouse } from '../../builders/test-warehouse.ts'
import { openS3 } from './aws-server.ts'
import { disposable, type LoadedFixtures, listContents } from './load-fixtures.ts'

/** Fee schedules in a bucket of their own, so that no other test finds them. */
export interface LoadedApart extends Pick<LoadedFixtures, 'contents'> {
  /** Location of the tables, `s3://bucket/`. */
  readonly location: string
  readonly feeSchedules: readonly FeeSchedule[]
}

/**
 * Loads files into a new bucket.
 *
 * @param write writes the files into the folder of a warehouse, and returns what to load
 */
export async function loadApart(
  awsUrl: string,
  Bucket: string,
  write: (local: TestWarehouse) => Promise<LoadRequest>,
): Promise<LoadedApart> {
  await using local = await createTestWarehouse()
  using client = disposable(openS3(awsUrl))
  const location = `s3://${Bucket}/`
  await client.value.send(new CreateBucketCommand({ Bucket }))
  const files = createS3WarehouseFiles(location, client.value)
  await local.load(await write(local), {
    warehouse: openWarehouse({ files, workspaces: join(local.root, 'workspaces') }),
  })
  const feeSchedules = local.listNames().map(({ payer, plan }) => ({ payer, plan }))
  return { location, feeSchedules, contents: listContents(local) }
}
