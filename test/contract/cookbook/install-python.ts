import { join } from 'node:path'
import { findPython, installTool } from '../python.ts'

/**
 * Installs the packages that the cookbook's snippets for Python import, and prints the path of a Python that has them,
 * for `COOKBOOK_PYTHON`. If that fails, prints nothing but the reason, to standard error.
 */
try {
  const python = await findPython()
  if (python === undefined) throw new Error('there is no Python 3.11 or later with venv')
  const { bin } = await installTool(python, 'pandas', join(import.meta.dirname, 'requirements.txt'))
  process.stdout.write(`${join(bin, 'python')}\n`)
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error)
  process.stderr.write(`*** The cookbook's snippets for Python will NOT be run: ${reason} ***\n`)
}
