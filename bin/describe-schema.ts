import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeApi } from './api-document.ts'
import { readOptions } from './command/options.ts'
import { runCommand } from './command/run-command.ts'
import { describeSchema } from './schema-page.ts'

const usage = `
Writes docs/result-schema.md from the columns in core/rates.ts, and docs/openapi.json from contract/.

Usage: npm run schema

  --help  print this
`

await runCommand(usage, async () => {
  readOptions({ options: {} })
  const docs = join(import.meta.dirname, '..', 'docs')
  const pages = {
    'result-schema.md': describeSchema(),
    'openapi.json': `${JSON.stringify(describeApi(), null, 2)}
`,
  }
  for (const [name, text] of Object.entries(pages)) {
    writeFileSync(join(docs, name), text)
    process.stdout.write(`Written to ${join(docs, name)}
`)
  }
})
