import { expect, it } from 'vitest'
import { heapArguments } from '../../../../loader/publish/workers/file-workers.ts'
import { readText } from '../../../templates/source-files.ts'

it('gives npm run load the heap of a process that encodes files', () => {
  expect(JSON.parse(readText('package.json')).scripts.load).toContain(`node ${heapArguments.join(' ')} `)
})
