/** Starts the console. */
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { createCache } from './api/reads.ts'
import './design/styles.css'
import { createConsoleRouter } from './routes.tsx'
import { applyScheme } from './shell/scheme.ts'

applyScheme()
const cache = createCache()
createRoot(document.querySelector('#app')!).render(
  <QueryClientProvider client={cache}>
    <RouterProvider router={createConsoleRouter(cache)} />
  </QueryClientProvider>,
)
