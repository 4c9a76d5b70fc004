import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOptions, runCommand } from './command.ts'
import { describeSchema } from './schema-page.ts'

const usage = `
Writes docs/result-schema.md from the columns in core/rates.ts.

Usage: npm run schema

  --help  print this
`

await runCommand(usage, async () => {
  readOptions({ options: {} })
  writeFileSync(join(import.meta.dirname, '..', 'docs', 'result-schema.md'), describeSchema())
})
