import { join } from 'node:path'
import { CreateBucketCommand } from '@aws-sdk/client-s3'
import { createS3WarehouseFiles } from '../../../adapters/s3/s3-warehouse-files.ts'
import type { FeeSchedule } from '../../../core/catalogue/fee-schedule.ts'
import { openWarehouse } from '../../../loader/publish/warehouse/warehouse-folder.ts'
import { buildPlan, buildTableOfContents } from '../../builders/table-of-contents-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'
import { buildManyFiles } from '../many-files.ts'
import { openS3 } from './aws-server.ts'
import { disposable, type LoadedFixtures, listContents } from './load-fixtures.ts'

/** Number of files that the plans share. */
export const sharedFiles = 20

/** Returns different choices of files, each of all but one or two. Of 20 files there are 210. */
function listChoices(files: readonly string[]): readonly (readonly string[])[] {
  return files.flatMap((first, index) =>
    files.slice(index).map((second) => files.filter((file) => file !== first && file !== second)),
  )
}

export interface ManyPlans extends Pick<LoadedFixtures, 'contents'> {
  readonly location: string
  readonly feeSchedules: readonly FeeSchedule[]
}

/**
 * Loads plans that share files in nearly equal sets, from one table of contents. They lie in a bucket of their own, so
 * that no other test finds them.
 *
 * @param count at most 210
 */
export async function loadManyPlans(awsUrl: string, count: number): Promise<ManyPlans> {
  await using local = await createTestWarehouse()
  using client = disposable(openS3(awsUrl))
  const Bucket = 'many-plans'
  const location = `s3://${Bucket}/`
  await client.value.send(new CreateBucketCommand({ Bucket }))
  const files = createS3WarehouseFiles(location, client.value)
  const warehouse = openWarehouse({ files, workspaces: join(local.root, 'workspaces') })

  const names = Array.from({ length: sharedFiles }, (_, index) => `shared-${index}.json`)
  for (const [index, file] of buildManyFiles(sharedFiles).entries()) await local.write(names[index] ?? '', file)
  const addresses = names.map((name) => `https://rates.example/${name}`)
  const entries = listChoices(addresses)
    .slice(0, count)
    .map((chosen, index) => ({ plans: [buildPlan(`Plan ${index}`)], files: chosen }))
  await local.load({ files: [], toc: await local.write('toc.json', buildTableOfContents(...entries)) }, { warehouse })

  const feeSchedules = local.listNames().map(({ payer, plan }) => ({ payer, plan }))
  return { location, feeSchedules, contents: listContents(local) }
}
