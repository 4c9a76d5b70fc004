import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import type { Content } from '../../core/catalogue/content.ts'
import { feeScheduleKey } from '../../core/catalogue/fee-schedule.ts'
import { loadNppes } from '../../loader/nppes/load-nppes.ts'
import { writeNppes } from '../../local/samples/generator/nppes-layout.ts'
import { sampleFiles } from '../../local/samples/sample-data.ts'
import { createTestWarehouse } from '../builders/test-warehouse.ts'
import { nppesLine } from '../loader/nppes/nppes-builder.ts'
import { hostileFile } from './hostile-file.ts'
import { startTrino } from './trino-server.ts'
import { registerWarehouse } from './trino-warehouse.ts'

/** A Trino with the samples and a file of hostile names. */
export interface TrinoUnderTest {
  readonly url: string
  readonly folder: string
  /** A month of NPPES, which has half of the NPIs of the samples. */
  readonly nppesMonthId: string
  /** The content of each fee schedule, by its key. */
  readonly contents: Readonly<Record<string, Pick<Content, 'contentId' | 'sources'>>>
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly trino: TrinoUnderTest
  }
}

const nppesMonthId = 'r1'
const nppesNpis = Array.from({ length: 4000 }, (_, index) => String(1000100000 + 2 * index))

/** Starts Trino from `TRINO_HOME` with the Java of `JAVA_HOME`, once per run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { TRINO_HOME: home, JAVA_HOME: java } = process.env
  if (!home || !java)
    throw new TypeError('TRINO_HOME (see test/trino/install.sh) and JAVA_HOME (24 or later) must be set')
  const trino = await startTrino(home, join(java, 'bin', 'java'))
  await using warehouse = await createTestWarehouse()
  await warehouse.load({ files: sampleFiles })
  await warehouse.load({ files: [await warehouse.write('hostile.json', hostileFile)] })
  const lines = nppesNpis.map((npi, index) =>
    nppesLine({ npi, entityType: '2', state: index % 2 ? 'TX' : 'OK', zip: index % 3 ? '77030' : '73102' }),
  )
  const path = await warehouse.write('npidata_pfile_20050523-20261109.csv', writeNppes(lines))
  const { folder, contents: stored } = warehouse
  await loadNppes({ path }, { warehouse: folder, contents: stored, newId: () => nppesMonthId, now: () => new Date() })
  await cp(warehouse.root, join(trino.folder, 'warehouse'), { recursive: true })
  await rm(join(trino.folder, 'warehouse', '.workspaces'), { recursive: true, force: true })
  await registerWarehouse(trino)
  const contents = warehouse.listNames().flatMap(({ payer, plan, state }) => {
    const content = state.status === 'active' ? warehouse.contents.contents.get(state.contentId) : undefined
    return content ? [[feeScheduleKey({ payer, plan }), content] as const] : []
  })
  const described = contents.map(([key, { contentId, sources }]) => [key, { contentId, sources }] as const)
  project.provide('trino', {
    url: trino.url,
    folder: trino.folder,
    contents: Object.fromEntries(described),
    nppesMonthId,
  })
  return async () => trino[Symbol.asyncDispose]()
}
