import { join } from 'node:path'
import { openWarehouseFolder } from '../../../loader/publish/warehouse/warehouse-folder.ts'
import { planLoad } from '../../../loader/run/dry-run.ts'
import { loadFiles } from '../../../loader/run/load-files.ts'
import { realMachine } from '../../../loader/write/machine.ts'
import { createMemoryCatalogue } from '../../doubles/memory-catalogue.ts'
import { createMemoryContents } from '../../doubles/memory-contents.ts'
import { createMemoryLoadRecords } from '../../doubles/memory-load-records.ts'
import { openMemoryNameWriter } from '../../doubles/vocabulary/memory-code-names.ts'

/** One measured run in a separate process, so that its processor time and memory are only its own. */
const [role = '', file = '', folder = ''] = process.argv.slice(2)

const deps = {
  warehouse: openWarehouseFolder(join(folder, 'warehouse')),
  catalogue: createMemoryCatalogue(),
  contents: createMemoryContents(),
  records: createMemoryLoadRecords(),
  codeNames: openMemoryNameWriter(),
  newId: () => `source${process.pid}`,
  now: () => new Date(),
  machine: realMachine,
}

const before = realMachine.cpuSeconds()
const ending = role === 'list' ? planLoad({ files: [], toc: file }, deps) : loadFiles({ files: [file] }, deps)
const outcome = await ending.then(
  () => 'done',
  (error: unknown) => String(error),
)
const seconds = realMachine.cpuSeconds() - before
process.stdout.write(JSON.stringify({ seconds, peak: process.resourceUsage().maxRSS * 1024, outcome }))
