# SPDX-License-Identifier: GPL-2.0
# For Sphinx; scripts/docs/build calls it.
import re

project = "scounter"
author = "the scounter authors"
copyright = "the scounter authors"
with open("dkms.conf") as conf:
    release = re.search(r'PACKAGE_VERSION="(.*)"', conf.read()).group(1)
html_theme = "alabaster"
html_theme_options = {
    "page_width": "min(1240px, 97vw)",
    "sidebar_width": "230px",
    "body_max_width": "auto",
    "fixed_sidebar": True,
    "sidebar_collapse": True,
    "globaltoc_maxdepth": 1,
    "show_powered_by": False,
}
# The sections of the page, then the pages.
html_sidebars = {"**": ["about.html", "localtoc.html", "navigation.html", "searchbox.html"]}
html_static_path = ["static"]
html_css_files = ["scounter.css"]
html_show_copyright = False
exclude_patterns = ["generated"]
primary_domain = "c"
highlight_language = "none"
c_id_attributes = ["notrace", "__must_check"]
