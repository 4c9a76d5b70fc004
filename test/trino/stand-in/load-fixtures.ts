import { join } from 'node:path'
import { createS3WarehouseFiles } from '../../../adapters/s3/s3-warehouse-files.ts'
import type { Content } from '../../../core/catalogue/content.ts'
import { feeScheduleKey } from '../../../core/catalogue/fee-schedule.ts'
import { loadNppes } from '../../../loader/nppes/load-nppes.ts'
import { openWarehouse } from '../../../loader/publish/warehouse/warehouse-folder.ts'
import { writeNppes } from '../../../local/samples/generator/nppes-layout.ts'
import { sampleFiles } from '../../../local/samples/sample-data.ts'
import { createTestWarehouse, type TestWarehouse } from '../../builders/test-warehouse.ts'
import { nppesLine } from '../../loader/nppes/nppes-builder.ts'
import { edgeFiles } from '../edge-files.ts'
import { hostileFile } from '../hostile-file.ts'
import { buildManyFiles, sourceCounts } from '../many-files.ts'
import { openS3 } from './aws-server.ts'
import { downloadObjects } from './download-objects.ts'

/** Ids under which searches find the loaded rows. */
export interface LoadedFixtures {
  /** The content of each fee schedule, by its key. */
  readonly contents: Readonly<Record<string, Pick<Content, 'contentId' | 'sources'>>>
  /** A month of NPPES, which has half of the NPIs of the samples. */
  readonly nppesMonthId: string
}

const nppesMonthId = 'r1'
const nppesNpis = Array.from({ length: 4000 }, (_, index) => String(1000100000 + 2 * index))

/**
 * Loads all fixtures into S3 with the loader's S3 adapter, and mirrors the bucket for the local Athena.
 *
 * @param location `s3://bucket/`
 * @param mirror folder that becomes the warehouse of the local Athena
 */
export async function loadFixtures(awsUrl: string, location: string, mirror: string): Promise<LoadedFixtures> {
  await using local = await createTestWarehouse()
  using client = disposable(openS3(awsUrl))
  const files = createS3WarehouseFiles(location, client.value)
  const warehouse = openWarehouse({ files, workspaces: join(local.root, 'workspaces') })
  const writeAll = (name: string, texts: readonly (string | object)[]) =>
    Promise.all(texts.map((text, index) => local.write(`${name}-${index}.json`, text)))
  const loads = [
    sampleFiles,
    await writeAll('hostile', [hostileFile]),
    await writeAll('edge', edgeFiles),
    ...(await Promise.all(sourceCounts.map((count) => writeAll(`many-${count}`, buildManyFiles(count))))),
  ]
  for (const paths of loads) await local.load({ files: paths }, { warehouse })

  const lines = nppesNpis.map((npi, index) =>
    nppesLine({ npi, entityType: '2', state: index % 2 ? 'TX' : 'OK', zip: index % 3 ? '77030' : '73102' }),
  )
  const path = await local.write('npidata_pfile_20050523-20261109.csv', writeNppes(lines))
  const { contents } = local
  await loadNppes({ path }, { warehouse, contents, newId: () => nppesMonthId, now: () => new Date() })

  await downloadObjects(client.value, location, mirror)
  return { contents: listContents(local), nppesMonthId }
}

/** Returns the contents by which searches find what was loaded. */
export function listContents({ listNames, contents }: TestWarehouse): LoadedFixtures['contents'] {
  const active = listNames().flatMap(({ payer, plan, state }) => {
    const content = state.status === 'active' ? contents.contents.get(state.contentId) : undefined
    if (content === undefined) return []
    const { contentId, sources } = content
    return [[feeScheduleKey({ payer, plan }), { contentId, sources }] as const]
  })
  return Object.fromEntries(active)
}

/** Lets `using` end an SDK client. */
export function disposable<Client extends { destroy(): void }>(value: Client): Disposable & { readonly value: Client } {
  return { value, [Symbol.dispose]: () => value.destroy() }
}
