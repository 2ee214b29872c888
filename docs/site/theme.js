// Runs before the page is shown, so that it does not change its colours while one looks at it.
{
  const root = document.documentElement
  root.classList.add('scripted')
  const theme = localStorage.getItem('theme')
  if (theme === 'dark' || theme === 'light') root.dataset['theme'] = theme
}
