import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { openWarehouseFolder } from '../../../loader/publish/warehouse/warehouse-folder.ts'
import { loadFiles } from '../../../loader/run/load-files.ts'
import { testMachine } from '../../builders/test-machine.ts'
import { createMemoryCatalogue } from '../../doubles/memory-catalogue.ts'
import { createMemoryContents } from '../../doubles/memory-contents.ts'
import { createMemoryLoadRecords } from '../../doubles/memory-load-records.ts'
import { openMemoryNameWriter } from '../../doubles/vocabulary/memory-code-names.ts'

/** Loads the files of the command line repeatedly until it is killed. The catalogue is a file beside the warehouse. */
const [root = '', ...files] = process.argv.slice(2)
const catalogueFile = `${root}.catalogue.json`
const catalogue = createMemoryCatalogue()
if (existsSync(catalogueFile)) {
  for (const [key, entry] of JSON.parse(readFileSync(catalogueFile, 'utf8'))) catalogue.entries.set(key, entry)
}
const deps = {
  warehouse: openWarehouseFolder(root),
  catalogue: {
    ...catalogue,
    replace: async (...args: Parameters<typeof catalogue.replace>) => {
      const outcome = await catalogue.replace(...args)
      writeFileSync(`${catalogueFile}.new`, JSON.stringify([...catalogue.entries]))
      renameSync(`${catalogueFile}.new`, catalogueFile)
      return outcome
    },
  },
  // Nothing is reused, so that every load writes its files.
  contents: { ...createMemoryContents(), findSources: async () => [] },
  records: createMemoryLoadRecords(),
  codeNames: openMemoryNameWriter(),
  machine: testMachine(),
  newId: () => `s${process.hrtime.bigint()}`,
  now: () => new Date(),
}
for (;;) {
  // Contents are new in each process, so what the last one made active is no longer stored.
  await loadFiles({ files, replace: true }, deps)
  process.stdout.write('loaded\n')
}
