import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandFailed } from '../../../client/command-line/command-errors.ts'
import { root } from '../../templates/source-files.ts'
import { installTool } from '../python.ts'
import { runOrFail } from './run-or-fail.ts'

/** Address of the service in docs/api.md. */
const documentedUrl = 'http://127.0.0.1:3000'

/**
 * Runs the command and the snippet for Python of docs/api.md, then imports every module of the generated client and
 * calls every operation.
 *
 * @param folder empty folder, in which the client is generated
 * @returns the report of the calls, in lines
 * @throws CommandFailed with the generator's warnings or Python's error
 */
export async function checkPython(
  python: string,
  folder: string,
  { url, key }: { readonly url: string; readonly key: string },
): Promise<string> {
  const { bin, variables } = await installTool(
    python,
    'openapi-python-client',
    join(import.meta.dirname, 'requirements.txt'),
  )
  const page = await readFile(join(root, 'docs/api.md'), 'utf8')
  const command = /^\$ openapi-python-client (generate .*)$/m.exec(page)?.[1]
  const snippet = /^```python\n(.*?)^```$/ms.exec(page)?.[1]
  if (command === undefined || snippet === undefined)
    throw new CommandFailed('docs/api.md has no command for openapi-python-client, or no snippet for Python')
  await writeFile(join(folder, 'snippet.py'), snippet)
  const options = { cwd: folder, env: { ...variables, RATE_SEARCH_URL: url, RATE_SEARCH_KEY: key } }
  const generate = command.replace(documentedUrl, url).split(' ')
  await runOrFail(join(bin, 'openapi-python-client'), [...generate, '--fail-on-warning'], options)
  const bodyType = await runOrFail(join(bin, 'python'), ['-c', `${snippet}\nprint(type(search).__name__)`], options)
  if (bodyType.trim() !== 'CompletedSearch') throw new CommandFailed(`the snippet for Python ended with ${bodyType}`)
  return await runOrFail(join(bin, 'python'), [join(import.meta.dirname, 'call-everything.py')], {
    ...options,
    env: { ...options.env, PYTHONPATH: folder },
  })
}
