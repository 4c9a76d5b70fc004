import { expect, test } from 'vitest'
import { heapArguments } from '../../../../loader/publish/workers/file-workers.ts'
import { readText } from '../../../templates/source-files.ts'

test('npm run load has the heap of a process that encodes files', () => {
  expect(JSON.parse(readText('package.json')).scripts.load).toContain(`node ${heapArguments.join(' ')} `)
})
