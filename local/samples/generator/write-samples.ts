import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { samplesFolder } from '../sample-data.ts'
import { makeSamples } from './make-samples.ts'

/** Writes the samples that are made (`npm run samples`), but not those whose content is the same. */
for (const [name, text] of Object.entries(makeSamples())) {
  const path = join(samplesFolder, name)
  if (existsSync(path) && String(gunzipSync(readFileSync(path))) === text) continue
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, gzipSync(text, { level: 9 }))
  process.stdout.write(`wrote ${path}\n`)
}
