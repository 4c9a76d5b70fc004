import { describe, expect, it } from 'vitest'
import { writeCallsTable } from '../../../bin/documents/calls-table.ts'
import { readText } from '../../templates/source-files.ts'

describe('the table of calls', () => {
  it.each(['README.md', 'docs/api.md'])('stands in %s as npm run schema writes it', (path) => {
    const document = readText(path)
    expect(document).toBe(writeCallsTable(document))
  })

  it('shows the path, parameters and status of each call', () => {
    const table = writeCallsTable('| call | answer |\n|---|---|\n| stale | row |\n')
    expect(table).not.toContain('stale')
    expect(table).toMatch(/^\| `GET \/v1\/searches\?status=&limit=&cursor=` \| 200 \| .+\. \|$/m)
    expect(table).toMatch(/^\| `DELETE \/v1\/searches\/\{job_id\}` \| 204 \| .+ \|$/m)
  })

  it('refuses a document without it', () => {
    expect(() => writeCallsTable('# API\n')).toThrow('one table of calls')
  })
})
