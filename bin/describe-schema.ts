import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeApi } from './api-document.ts'
import { readOptions, runCommand } from './command.ts'
import { describeSchema } from './schema-page.ts'

const usage = `
Writes docs/result-schema.md from the columns in core/rates.ts, and docs/openapi.json from contract/.

Usage: npm run schema

  --help  print this
`

await runCommand(usage, async () => {
  readOptions({ options: {} })
  const docs = join(import.meta.dirname, '..', 'docs')
  writeFileSync(join(docs, 'result-schema.md'), describeSchema())
  writeFileSync(join(docs, 'openapi.json'), `${JSON.stringify(describeApi(), null, 2)}\n`)
})
